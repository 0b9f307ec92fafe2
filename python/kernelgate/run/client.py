"""Running a job from the notebook's kernel, or from the shell command: the side that starts the processes and waits.

In: a `Job`. Out: its finished report; on the way, every report that the judge sends. It touches neither the candidate
nor CUDA. An interrupt ends the judge with its workers, and the last report becomes a cancelled one; the fork
server, which took seconds to start, stays for the next run.
"""

from __future__ import annotations

import contextlib
import math
import os
import select
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from kernelgate.messages.channel import Channel, ChannelClosed, ChannelTimeout, ProtocolError, channel_pair
from kernelgate.messages.first_report import first_report
from kernelgate.messages.fork_server import Adopt, Notice, Ready, Start, Started, Stop
from kernelgate.messages.job import MAX_SOURCE_BYTES, Job, cache_folder, checked
from kernelgate.processes import waiting
from kernelgate.program import ProgramError, Source, read, unreadable
from kernelgate.report import Report
from kernelgate.report.shown_words import fill_shown_words
from kernelgate.run.endings import cancelled, closed, judge_gone, out_of_time, running_stage, too_large
from kernelgate.safe_path import command, environment, running

OnReport = Callable[[Report], None]
_GRACE_S = 8.0  # the judge ends a program at the limit, and what that has started takes a while to end
_START_S = 120.0
_STATUS_S = 2.0
_ADOPTED_S = 5.0  # a server that waits has imported what it needs
_END_S = 60.0  # ending what a fork bomb has started takes long; most often it is a moment


# Judge and worker share memory by CUDA IPC, which expandable segments do by a system call that a worker may not make.
_ALLOCATOR_SETTINGS = ("PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF")


def _environment() -> dict[str, str]:
    """The environment of a fork server. Judge and worker together have more threads than there are processors, so
    waiting threads must not spin. Enterprise Gateway's kernels have no PATH, without which g++ misses its own parts."""
    kept = {name: value for name, value in environment().items() if name not in _ALLOCATOR_SETTINGS}
    package = str(Path(__file__).parents[2])
    path = os.pathsep.join([package, *filter(None, [kept.get("PYTHONPATH")])])
    return {"OMP_WAIT_POLICY": "PASSIVE", "PATH": os.defpath, **kept, "PYTHONPATH": path}


FORK_SERVER = command(running("kernelgate.processes.fork_server"))
ROLES = (
    "kernelgate.judge.pipeline:judge_main",
    "kernelgate.worker.process:worker_main",
    "kernelgate.compile.build_server:builder_main",
    "kernelgate.worker.disguised:disguised_main",
)
# What every judge and worker imports when it is first needed.
_IMPORTED_AHEAD = (
    "torch.utils.cpp_extension",
    "kernelgate.backend.emulated",
    "kernelgate.judge.stages.gates",
    "kernelgate.judge.stages.device_compile",
    "kernelgate.judge.stages.memory_check",
    "kernelgate.judge.stages.sanitize",
)


class ForkServerClient:
    """A fork server and the socket to it. It serves one run at a time. One that `waits` is not ended by `close`: it
    waits for the next command, and may have served an earlier one."""

    def __init__(self, *, waits: bool = False) -> None:
        environment = _environment()
        place = waiting.place(environment) if waits else None
        connection = waiting.connected(place) if place is not None else None
        self.serves = False
        self._ordered = False  # a judge that has not answered yet
        self._judge: int | None = None
        self._status: int | None = None  # with which the last judge ended
        self._half_way = False  # in a message, so that nothing more can be sent to the process
        # A file, not a pipe: it is not read during the run, and must never fill up.
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._place = place
        self._process: subprocess.Popen[bytes] | None = None
        if connection is None or not self._adopted(connection):
            self._start(environment)

    def _adopted(self, connection: socket.socket) -> bool:
        """Whether the server that waited there serves. It may have ended meanwhile."""
        self.control = Channel(connection)
        with contextlib.suppress(ChannelClosed, ChannelTimeout, ProtocolError):
            self.control.send(Adopt(), [self._errors.fileno()])
            self._hear(_ADOPTED_S)
            return True
        self.control.close()
        return False

    def _start(self, environment: dict[str, str]) -> None:
        self.control, theirs = channel_pair()
        self._folder = tempfile.mkdtemp(prefix="kernelgate-")
        try:
            self._process = subprocess.Popen(
                [*FORK_SERVER, str(theirs.fileno()), self._folder, str(self._place or ""), *ROLES, *_IMPORTED_AHEAD],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=self._errors,
                stderr=self._errors,
                start_new_session=True,  # an interrupt of the notebook reaches the notebook only
                env=environment,
            )
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        finally:
            theirs.close()

    def start_judge(self) -> Channel:
        """A new judge, waiting for its job: the socket to it. Raises ChannelClosed, ChannelTimeout."""
        while not self.serves or self._ordered:  # by a run that was interrupted that early
            self._hear(_START_S)
        self.stop_judge()
        channel, theirs = channel_pair()
        try:
            with self._message():
                self.control.send(Start("judge"), [theirs.fileno()])
                self._ordered = True
            while self._judge is None:
                self._hear(_START_S)
            return channel
        except BaseException:
            channel.close()  # which ends the judge
            raise
        finally:
            theirs.close()

    def end_judge(self) -> None:
        """Waits until the judge and its workers are gone. Raises ChannelClosed, ChannelTimeout."""
        while self._judge is not None:
            self._hear(_END_S)

    def status_of_judge(self) -> int | None:
        """The exit status of a judge that has closed its channel; None if the fork server is gone as well."""
        with contextlib.suppress(ChannelClosed, ChannelTimeout, ProtocolError):
            while self._judge is not None:
                self._hear(_STATUS_S)
        return self._status

    def stop_judge(self) -> bool:
        """Ends the judge with its workers, if there is one. False if the process can serve no other run, as it was
        interrupted in a message. Raises ChannelClosed, ChannelTimeout."""
        if self._half_way:
            return False
        if self._judge is not None:
            with self._message():
                self.control.send(Stop(self._judge))
            self.end_judge()
        return True

    def _hear(self, limit_s: float) -> None:
        """The next notice. Until it comes nothing is read, so that an interrupt does no harm."""
        if not select.select([self.control], [], [], limit_s)[0]:
            raise ChannelTimeout
        with self._message():
            notice, _ = self.control.receive(Notice, timeout_s=_END_S)
            if isinstance(notice, Ready):
                self.serves = True
            elif isinstance(notice, Started):
                self._judge, self._status, self._ordered = notice.pid, None, False
            elif notice.pid == self._judge:
                self._judge, self._status = None, notice.status

    @contextlib.contextmanager
    def _message(self) -> Iterator[None]:
        self._half_way = True
        yield
        self._half_way = False

    def error_text(self) -> str:
        """What the process wrote to its standard error, the last of it."""
        self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, self._errors.tell() - 4000))
        return self._errors.read().decode(errors="replace")

    def close(self) -> None:
        self.control.close()
        if self._process is None or self._place is not None:
            self._errors.close()
            return
        # While it still imports torch it cannot hear of the end, and has nothing to take along.
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=_END_S if self.serves else 0)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)
        self._errors.close()


_idle: list[ForkServerClient] = []
_lock = threading.Lock()
_waits = False


def wait_for_the_next_command() -> None:
    """From now on the fork servers of this process outlive it by some minutes: the next command takes one over."""
    global _waits
    _waits = True


def _take() -> ForkServerClient:
    with _lock:
        return _idle.pop() if _idle else ForkServerClient(waits=_waits)


def _give_back(client: ForkServerClient) -> None:
    with _lock:
        _idle.append(client)


def end_idle(keep: int = 1) -> None:
    """Ends the idle fork servers but for `keep` of them: after runs at the same time there are several."""
    with _lock:
        ended, _idle[:] = _idle[keep:], _idle[:keep]
    for client in ended:
        client.close()


def _stop(client: ForkServerClient) -> None:
    """Ends the run that it serves, and keeps it for the next one if that can be."""
    kept = False
    try:
        kept = client.stop_judge()
    except (ChannelClosed, ChannelTimeout, ProtocolError):
        pass
    finally:
        if kept:
            _give_back(client)
        else:
            client.close()


def run(job: Job, on_report: OnReport | None = None, watch: Callable[[], None] | None = None) -> Report:
    """Runs a job to its finished report. Interrupted, it returns a cancelled one. Raises UsageError.

    `watch` is called about five times a second while it runs, in the caller's thread; it interrupts the run where it
    raises KeyboardInterrupt, which threads other than the main one never receive.
    """
    checked(job)
    job.cache = job.cache or str(cache_folder())
    job.folder = job.folder or str(Path.cwd())
    following = _Following(job, on_report, watch)
    if len(job.text) > MAX_SOURCE_BYTES:
        return too_large(following.last, len(job.text))
    if (refused := _refused(job)) is not None:
        failure = unreadable(Source.of(job), refused)
        return closed(following.last, "read", refused.sentence, failure)
    warm = None
    try:
        warm = _take()
        following.report_start("" if warm.serves else "Importing PyTorch, once in a kernel")
        following.to_the_end(warm)
    except KeyboardInterrupt:
        if warm is not None:
            _stop(warm)
        return following.last if following.last.state == "finished" else cancelled(following.last)
    except _OutOfTime:
        assert warm is not None
        _stop(warm)
        return out_of_time(following.last, job.limits.run_s)
    except (ChannelClosed, ChannelTimeout, ProtocolError) as gone:
        assert warm is not None
        status = warm.status_of_judge() if isinstance(gone, ChannelClosed) else None
        log = warm.error_text()
        warm.close()
        return following.last if following.last.state == "finished" else judge_gone(following.last, status, log)
    except BaseException:
        if warm is not None:
            warm.close()
        raise
    _give_back(warm)
    return following.last


class _OutOfTime(Exception):
    """The whole run has taken as long as it may."""


class _Following:
    """A run seen from here: its last report, and who receives each."""

    def __init__(self, job: Job, on_report: OnReport | None, watch: Callable[[], None] | None) -> None:
        self.last = fill_shown_words(first_report(job))
        self._job = job
        self._on_report = on_report
        self._watch = watch
        # The judge enforces the limit, and reports what the candidate was doing. Only a reference that does not end
        # keeps the judge from it. Neither is at work while PyTorch is still being loaded.
        self._deadline = math.inf
        self._begun = (False, False)

    def report_start(self, waits_for: str) -> None:
        if self._on_report is not None:
            self._on_report(msgspec.structs.replace(self.last, progress=waits_for))

    def report_progress(self) -> None:
        if self._on_report is not None and self.last.state == "running":
            self._on_report(self.last)

    def _count(self) -> None:
        """The limit counts from the first stage, in which the reference is prepared, and anew from the program's first
        step."""
        begun = (self._begun[0] or running_stage(self.last) is not None, self._begun[1] or bool(self.last.progress))
        limit = self._job.limits.run_s
        if limit and begun != self._begun:
            self._deadline = time.monotonic() + limit + _GRACE_S
        self._begun = begun

    def to_the_end(self, warm: ForkServerClient) -> None:
        """Until the judge is done and gone, and `last` is finished."""
        channel = warm.start_judge()
        try:
            channel.send(self._job)
            while self.last.state == "running":
                left = self._deadline - time.monotonic()
                try:
                    received: tuple[Report, Any] = channel.receive(
                        Report, None if left == math.inf else left, self._watch
                    )
                except ChannelTimeout:
                    raise _OutOfTime from None
                self.last = received[0]
                self._count()
                self.report_progress()
        finally:
            channel.close()
        warm.end_judge()


def _refused(job: Job) -> ProgramError | None:
    """Why the text holds no program, if no process is needed to say so: a fix is tried by the judge."""
    try:
        read(Source.of(job), job.operator, job.reference_text)
    except ProgramError as error:
        return error if error.edit is None else None
    except Exception:
        return None  # a mistake of ours, which the judge reports
    return None
