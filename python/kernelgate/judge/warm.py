"""The warm process: imports torch once, then forks judges and workers, and sees to it that none of them stays.

In: `Start` and `Stop` over a socket from the notebook's kernel (or the shell command), and from each judge. Out:
`Started` and `Ended` on the same socket. It never touches CUDA, so every child may; it never runs a candidate.

Who goes takes along what it started: when a socket closes, the processes that were started over it are killed with
their whole process groups, and with every descendant that changed its group (this process adopts orphans).
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
import selectors
import shutil
import signal
import socket
import sys
import tempfile
from pathlib import Path
from typing import Literal

import msgspec

from kernelgate.judge.channel import Channel, ChannelClosed, ProtocolError, channel_pair
from kernelgate.judge.family import descendants

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_IDLE_S = 0.0  # at the first moment at which nobody waits, which between runs in a row is a short one


class Start(msgspec.Struct, tag="start"):
    """Fork a process. Descriptors beside it: judge: its client's socket; worker: socket, output, faults.

    `cache`: where a worker builds; what it leaves there half done is removed when it has ended.
    """

    role: Literal["judge", "worker"]
    cache: str = ""


class Stop(msgspec.Struct, tag="stop"):
    """Kill a process that was started over this socket, with all that it started."""

    pid: int


class Started(msgspec.Struct, tag="started"):
    pid: int


class Ended(msgspec.Struct, tag="ended"):
    """`status` is the exit status, or minus the number of the signal that ended it."""

    pid: int
    status: int


Order = Start | Stop
Notice = Started | Ended


class Child:
    """A process that was forked here: who asked for it, and, for a judge, the socket over which it asks."""

    def __init__(self, pid: int, owner: Channel, control: Channel | None, folder: str, cache: str) -> None:
        self.pid = pid
        self.owner = owner
        self.control = control
        self.folder = folder
        self.cache = cache
        self.pidfd = os.pidfd_open(pid)

    def remove_traces(self) -> None:
        """Its private folder, half a build, and the memory that PyTorch counts shared tensors in. It has ended."""
        shutil.rmtree(self.folder, ignore_errors=True)
        left = [Path("/dev/shm").glob(f"torch_{self.pid}_*")]
        if self.cache:
            left += [Path(self.cache).glob(f"{part}*building-{self.pid}-*") for part in ("", "*/")]
        for path in itertools.chain.from_iterable(left):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


class WarmProcess:
    def __init__(self, client: Channel) -> None:
        self._client = client
        self._children: dict[int, Child] = {}
        self._served = False
        self._complete = False
        self._selector = selectors.DefaultSelector()
        self._selector.register(client, selectors.EVENT_READ, client)

    def serve(self) -> None:
        """Until the client goes."""
        while True:
            ready = self._selector.select(self._idle_s())
            if not ready:
                self._import_more()
            for key, _events in ready:
                if self._selector.get_map().get(key.fd) is not key:
                    continue  # an event before this one in the same batch has closed it
                if isinstance(key.data, Child):
                    self._reap(key.data)
                elif not self._serve_one(key.data):
                    return

    def _idle_s(self) -> float | None:
        """How long to wait for an order before using the time for something else."""
        return None if self._complete or self._children or not self._served else _IDLE_S

    def _import_more(self) -> None:
        """What torch.compile and the watching of operators need takes seconds to import: done while nobody waits."""
        with contextlib.suppress(ImportError, OSError):
            import functorch.compile  # type: ignore[import-untyped]  # noqa: F401
            import torch._dynamo
            import torch.export._trace

            torch._dynamo.list_backends()  # imports all of them, as the first torch.compile would
        # It makes a folder for what it may compile; each worker has one of its own.
        for folder in Path(tempfile.gettempdir()).glob("torchinductor_*"):
            shutil.rmtree(folder, ignore_errors=True)
        self._complete = True

    def _serve_one(self, channel: Channel) -> bool:
        try:
            order, descriptors = channel.receive(Order, timeout_s=5)
        except (ChannelClosed, ProtocolError, TimeoutError):
            if channel is self._client:
                self._kill_children_of(channel)
                return False
            self._selector.unregister(channel)  # a judge that is about to end; its pidfd tells
            return True
        if isinstance(order, Stop):
            child = self._children.get(order.pid)
            if child is not None and child.owner is channel:
                self._kill(child)
            return True
        assert isinstance(order, Start)
        self._start(order, channel, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        return True

    def _start(self, order: Start, owner: Channel, descriptors: list[int]) -> None:
        control, theirs = (None, None) if order.role == "worker" else channel_pair()
        folder = tempfile.mkdtemp(prefix=f"{order.role}-")
        pid = os.fork()
        if pid == 0:
            status = 70  # a failure of ours, not of the candidate
            try:
                if control is not None:
                    control.close()  # the parent's end
                self._become_child(order.role, theirs, descriptors, folder)
                status = 0
            except BaseException:
                # The traceback goes to this process's standard error, which the client reads when a run breaks.
                sys.excepthook(*sys.exc_info())
            finally:
                sys.stderr.flush()
                os._exit(status)
        # On both sides of the fork, so that the group exists whoever runs first.
        with contextlib.suppress(PermissionError, ProcessLookupError):
            os.setpgid(pid, pid)
        if theirs is not None:
            theirs.close()
        child = Child(pid, owner, control, folder, order.cache)
        self._children[pid] = child
        self._served = True
        self._selector.register(child.pidfd, selectors.EVENT_READ, child)
        if control is not None:
            self._selector.register(control, selectors.EVENT_READ, control)
        owner.send(Started(pid))

    def _become_child(
        self,
        role: Literal["judge", "worker"],
        control: socket.socket | None,
        descriptors: list[int],
        folder: str,
    ) -> None:
        os.setpgid(0, 0)
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 0)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        tempfile.tempdir = os.environ["TMPDIR"] = folder
        # Sockets of other runs must not stay open here: they would hide that their owners have gone.
        kept = {*descriptors, *([control.fileno()] if control is not None else [])}
        self._selector.close()
        for child in self._children.values():
            os.close(child.pidfd)
            if child.control is not None:
                child.control.close()
        if self._client.fileno() not in kept:
            self._client.close()
        connection = socket.socket(fileno=descriptors[0])
        if role == "judge":
            from kernelgate.judge.conduct import judge_main

            assert control is not None
            judge_main(Channel(connection), Channel(control))
        else:
            from kernelgate.judge.worker import worker_main

            worker_main(connection, descriptors[1], descriptors[2], folder)

    def _reap(self, child: Child) -> None:
        _pid, raw = os.waitpid(child.pid, 0)
        self._selector.unregister(child.pidfd)
        os.close(child.pidfd)
        del self._children[child.pid]
        _kill_group(child.pid)
        if child.control is not None:
            self._kill_children_of(child.control)
            with contextlib.suppress(KeyError):
                self._selector.unregister(child.control)
            child.control.close()
        self._kill_orphans()
        child.remove_traces()
        with contextlib.suppress(ChannelClosed):
            child.owner.send(Ended(child.pid, os.waitstatus_to_exitcode(raw)))

    def _kill(self, child: Child) -> None:
        """Its end is told by its pidfd, like any other."""
        if child.control is not None:
            self._kill_children_of(child.control)
        _kill_group(child.pid)

    def _kill_children_of(self, owner: Channel) -> None:
        for child in list(self._children.values()):
            if child.owner is owner:
                self._kill(child)
        if owner is self._client:  # nobody is left to hear of it
            left = list(self._children.values())
            for child in left:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(child.pid, 0)
            self._children.clear()
            self._kill_orphans()
            for child in left:
                child.remove_traces()

    def _kill_orphans(self) -> None:
        """Ends processes that a worker started, that left its group, and that came to us when it ended.

        While other workers run, an orphan may be theirs; it then stays until they have ended.
        """
        own = self._children.keys()
        if any(child.control is None for child in self._children.values()):
            return
        # All before any is waited for: they may be many, and still start others. One that ends hands its own
        # children over to this process, so that there may be more after each round.
        while orphans := descendants(os.getpid(), own):
            for pid in orphans:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            for pid in orphans:
                with contextlib.suppress(ChildProcessError):  # not ours yet
                    os.waitpid(pid, 0)


def _kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def main() -> int:
    """`python -m kernelgate.judge.warm FD FOLDER`: serves over the inherited socket FD; everything temporary lies in
    FOLDER, which goes when this process ends."""
    client = Channel(socket.socket(fileno=int(sys.argv[1])))
    tempfile.tempdir = os.environ["TMPDIR"] = sys.argv[2]
    # No parent-death signal for this process: it would come when the *thread* that started it ends. The end of the
    # client closes the socket, and that ends us.
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A kernel without torch still gets a report, which says so.
    with contextlib.suppress(ImportError, OSError):
        import torch
        import torch.fx.experimental.symbolic_shapes  # noqa: F401 - the first backward() imports it, in every child
    try:
        WarmProcess(client).serve()
    finally:
        shutil.rmtree(sys.argv[2], ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
