"""The fork server: imports torch once, then forks judges, workers and build servers, and makes sure that none stays.

In: `Start` and `Stop` over a socket from the notebook's kernel (or the shell command), and from each judge. Out:
`Started` and `Ended` on the same socket, after one `Ready`. It never touches CUDA, so every child may, and it never
runs a candidate. It also forks a worker's build server, when the worker first has something to build: so that holds
nothing of a candidate, and a run that finds its builds in the cache has none.

`multiprocessing.forkserver` would neither adopt orphans, nor end process groups, nor decode strictly.

A process that ends takes along what it started: when a socket closes, the processes started over it are killed, with
their process groups and with every descendant that changed its group (this process adopts orphans).
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import gc
import importlib
import os
import selectors
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from kernelgate.messages.channel import Channel, ChannelClosed, ProtocolError
from kernelgate.messages.fork_server import OWN_FAILURE, Adopt, Ended, Order, Ready, Start, Started, Stop
from kernelgate.processes.imported_ahead import import_ahead, when_idle
from kernelgate.processes.process_tree import descendants
from kernelgate.processes.waiting import next_client
from kernelgate.sandbox.confine import close_descriptors

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_SOON_S = 0.001  # until a process that was killed has ended
_IDLE_S = 0.0  # at the first moment without an order, which is short between runs in a row


Role = Literal["judge", "worker", "builder"]


class Child:
    """A process that was forked here, and who asked for it."""

    def __init__(self, role: Role, pid: int, owner: Channel, folder: str, cache: str) -> None:
        self.role = role
        self.pid = pid
        self.owner = owner
        self.folder = folder
        self.cache = cache
        self.pidfd = os.pidfd_open(pid)
        self.control: Channel | None = None
        """A judge's: the socket over which it asks for workers."""
        self.orders: socket.socket | None = None
        """A worker's, until it has a builder: what it sends there."""
        self.builder: Child | None = None

    def close(self) -> None:
        """Closes the descriptors that are open for it here."""
        os.close(self.pidfd)
        for connection in (self.control, self.orders):
            if connection is not None:
                connection.close()

    def remove_traces(self) -> None:
        """Its private folder, half a build, and its shared memory, with that of its group: these processes come to this
        one, and are waited for. It has ended, and its builder."""
        with contextlib.suppress(ChildProcessError):  # none is left
            while True:
                _kill_group(self.pid)  # again: one may have joined it meanwhile
                pid, _status = os.waitpid(-self.pid, os.WNOHANG)
                if pid:
                    _remove_shared_memory(pid)
                else:
                    time.sleep(_SOON_S)
        shutil.rmtree(self.folder, ignore_errors=True)
        _remove_shared_memory(self.pid)
        if self.role == "builder":
            for path in Path(self.cache).glob(f"building-{self.pid}-*"):
                shutil.rmtree(path, ignore_errors=True)


class ForkServer:
    def __init__(self, client: Channel, roles: Roles) -> None:
        self._client = client
        self._roles = roles
        self._children: dict[int, Child] = {}
        self._served = False
        self._complete = False
        self._to_import = iter(when_idle())
        self._selector = selectors.DefaultSelector()
        self._selector.register(client, selectors.EVENT_READ, client)

    def serve(self) -> None:
        """Serves until the client goes."""
        with contextlib.suppress(ChannelClosed):
            self._client.send(Ready())
        while True:
            ready = self._selector.select(self._idle_s())
            if not ready:
                self._import_more()
            for key, _events in ready:
                if self._selector.get_map().get(key.fd) is not key:
                    continue  # an earlier event of the same batch has closed it
                if isinstance(key.data, Child):
                    if key.fd == key.data.pidfd:
                        self._reap(key.data)
                    else:
                        self._start_builder(key.data)
                elif not self._serve_one(key.data):
                    return

    def _idle_s(self) -> float | None:
        """How long to wait for an order before using the time for something else."""
        return None if self._complete or self._children or not self._served else _IDLE_S

    def _import_more(self) -> None:
        """Imports the next of the slow modules: one at a time while no order waits."""
        name = next(self._to_import, None)
        if name is None:
            # Inductor makes a folder for what it may compile; each worker has one of its own.
            for folder in Path(tempfile.gettempdir()).glob("torchinductor_*"):
                shutil.rmtree(folder, ignore_errors=True)
            self._complete = True
            return
        import_ahead(name)
        gc.freeze()

    def _serve_one(self, channel: Channel) -> bool:
        try:
            order, descriptors = channel.receive(Order, timeout_s=5)
        except (ChannelClosed, ProtocolError, TimeoutError):
            if channel is self._client:
                self._kill_children_of(channel)
                return False
            self._selector.unregister(channel)  # a judge that is about to end; its pidfd reports it
            return True
        if isinstance(order, Stop):
            child = self._children.get(order.pid)
            if child is not None and child.owner is channel:
                self._kill(child)
            return True
        if isinstance(order, Adopt):
            for output in (1, 2):
                os.dup2(descriptors[0], output)
        else:
            self._start(order, channel, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        return True

    def _start(self, order: Start, owner: Channel, descriptors: list[int]) -> None:
        ours, theirs = socket.socketpair()
        folder = _unmarked_folder() if order.disguised else tempfile.mkdtemp(prefix=f"{order.role}-")
        roles = self._roles
        if order.role == "judge":
            work = functools.partial(_run_judge, roles.judge, descriptors, theirs)
        else:
            entry = roles.disguised if order.disguised else roles.worker
            work = functools.partial(_run_worker, entry, descriptors, theirs, folder)
        pid = self._fork(work, {*descriptors, theirs.fileno()}, 0, folder)
        theirs.close()
        child = Child(order.role, pid, owner, folder, order.cache)
        self._children[pid] = child
        self._served = True
        self._selector.register(child.pidfd, selectors.EVENT_READ, child)
        if order.role == "judge":
            child.control = Channel(ours)
            self._selector.register(child.control, selectors.EVENT_READ, child.control)
        else:
            child.orders = ours
            self._selector.register(ours, selectors.EVENT_READ, child)
        owner.send(Started(pid))

    def _start_builder(self, worker: Child) -> None:
        """Something has come from the worker for it, or the worker has ended. It is not read here."""
        orders = worker.orders
        assert orders is not None
        self._selector.unregister(orders)
        if _has_come(orders):
            folder = tempfile.mkdtemp(prefix="builder-")
            # In the group of its worker, and ended with it.
            cache, kept = Path(worker.cache), {orders.fileno()}
            pid = self._fork(lambda: _entry(self._roles.builder)(orders, cache), kept, worker.pid, folder)
            builder = Child("builder", pid, worker.owner, folder, worker.cache)
            worker.builder = self._children[pid] = builder
            self._selector.register(builder.pidfd, selectors.EVENT_READ, builder)
        orders.close()
        worker.orders = None

    def _fork(self, work: Callable[[], None], kept: set[int], group: int, folder: str) -> int:
        """The id of a process that does `work` in a process group, its own one if that is 0."""
        pid = os.fork()
        if pid == 0:
            status = OWN_FAILURE
            try:
                self._become_child(kept, group, folder)
                work()
                status = 0
            except BaseException:
                # The traceback goes to this process's standard error, which the client reads when a run breaks.
                sys.excepthook(*sys.exc_info())
            finally:
                sys.stderr.flush()
                os._exit(status)
        # On both sides of the fork, so that it is in the group whoever runs first.
        with contextlib.suppress(PermissionError, ProcessLookupError):
            os.setpgid(pid, group or pid)
        return pid

    def _become_child(self, kept: set[int], group: int, folder: str) -> None:
        os.setpgid(0, group)
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 0)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        tempfile.tempdir = os.environ["TMPDIR"] = folder
        # Sockets of other runs must not stay open here: they would hide that their owners have gone.
        self._selector.close()
        close_descriptors({0, 1, 2, *kept})

    def _reap(self, child: Child) -> None:
        _pid, raw = os.waitpid(child.pid, 0)
        del self._children[child.pid]
        for watched in (child.pidfd, child.control, child.orders):
            if watched is not None:
                # A judge that closed its side is not read any more.
                with contextlib.suppress(KeyError):
                    self._selector.unregister(watched)
        _kill_group(child.pid)
        if child.control is not None:
            self._kill_children_of(child.control)
            # Its end is reported only once its workers have gone too.
            for left in [other for other in self._children.values() if other.owner is child.control]:
                if left.pid in self._children:
                    self._reap(left)
        child.close()
        if child.builder is not None and child.builder.pid in self._children:
            os.kill(child.builder.pid, signal.SIGKILL)
            self._reap(child.builder)
        self._kill_orphans()
        child.remove_traces()
        if child.role != "builder":
            with contextlib.suppress(ChannelClosed):
                child.owner.send(Ended(child.pid, os.waitstatus_to_exitcode(raw)))

    def _kill(self, child: Child) -> None:
        """Its pidfd reports its end, like any other."""
        if child.control is not None:
            self._kill_children_of(child.control)
        _kill_group(child.pid)

    def _kill_children_of(self, owner: Channel) -> None:
        for child in list(self._children.values()):
            if child.owner is owner:
                self._kill(child)
        if owner is self._client:  # its client is gone
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
                    _remove_shared_memory(pid)


@dataclass(frozen=True)
class Roles:
    """What each kind of child runs, as "module:function"."""

    judge: str
    worker: str
    builder: str
    disguised: str


def _entry(name: str) -> Callable[..., None]:
    module, _, function = name.partition(":")
    entry: Callable[..., None] = getattr(importlib.import_module(module), function)
    return entry


def _run_judge(entry: str, descriptors: list[int], control: socket.socket) -> None:
    _entry(entry)(Channel(socket.socket(fileno=descriptors[0])), Channel(control))


def _run_worker(entry: str, descriptors: list[int], orders: socket.socket, folder: str) -> None:
    connection, output, faults = descriptors
    _entry(entry)(socket.socket(fileno=connection), output, faults, orders, folder)


def _unmarked_folder() -> str:
    """A new folder beside ours: nothing in its path says whose it is."""
    return tempfile.mkdtemp(dir=Path(tempfile.gettempdir()).parent)


def _remove_shared_memory(pid: int) -> None:
    """Removes what PyTorch counts the tensors in that a process has shared. It has ended."""
    for path in Path("/dev/shm").glob(f"torch_{pid}_*"):
        path.unlink(missing_ok=True)


def _has_come(connection: socket.socket) -> bool:
    """Whether there is something to read, other than the end."""
    try:
        return bool(connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT))
    except OSError:
        return False


def _kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def main() -> int:
    """`python -m kernelgate.processes.fork_server FD FOLDER PLACE JUDGE WORKER BUILDER DISGUISED MODULE ...`
    serves over the inherited socket FD.

    Everything temporary lies in FOLDER, which goes when this process ends. When its client goes, it waits for another
    at PLACE, if that is not "". Four words are `Roles`; each MODULE is imported here, and so not in every child.
    """
    client: socket.socket | None = socket.socket(fileno=int(sys.argv[1]))
    tempfile.tempdir = os.environ["TMPDIR"] = sys.argv[2]
    # No parent-death signal for this process: it would come when the *thread* that started it ends. The end of the
    # client closes the socket, and that ends us.
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()  # importing leaves little garbage, and looking for it takes a seventh of the time
    # A kernel without torch still gets a report, which says so.
    with contextlib.suppress(ImportError, OSError):
        import torch
        import torch.fx.experimental.symbolic_shapes  # noqa: F401 - the first backward() imports it, in every child
    place, roles, modules = sys.argv[3], sys.argv[4:8], sys.argv[8:]
    # Every child needs torch._dynamo at once: PyTorch imports it for an operator that runs without memory, for one.
    for module in ("torch._dynamo", *(role.partition(":")[0] for role in roles), *modules):
        import_ahead(module)
    gc.enable()
    gc.freeze()  # what is there now stays: a collection in a child would visit, and so copy, all of it
    try:
        while client is not None:
            with client:
                ForkServer(Channel(client), Roles(*roles)).serve()
            client = next_client(Path(place)) if place else None
    finally:
        shutil.rmtree(sys.argv[2], ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
