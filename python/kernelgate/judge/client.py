"""Running a job from the notebook's kernel, or from the shell command: the side that starts the processes and waits.

In: a `Job`. Out: its finished report; on the way, every report that the judge sends. Neither the candidate nor CUDA is
ever touched here. An interrupt ends the judge with its workers, and the last report becomes a cancelled one.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kernelgate
from kernelgate.judge.channel import Channel, ChannelClosed, ChannelTimeout, ProtocolError, channel_pair
from kernelgate.judge.ended import close_stages
from kernelgate.judge.job import MAX_SOURCE_BYTES, Job, cache_folder, checked, first_report
from kernelgate.judge.outcome import OUTCOMES
from kernelgate.judge.warm import Ended, Notice, Start, Started, Stop
from kernelgate.report import Failure, Report, Verdict, VerdictKind, cut, one_line

OnReport = Callable[[Report], None]


class WarmClient:
    """A warm process and the socket to it. It serves one run at a time."""

    def __init__(self) -> None:
        self.control, theirs = channel_pair()
        # A file, not a pipe: nobody reads it while the run goes on, and it must never fill up.
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        package = str(Path(kernelgate.__file__).parent.parent)
        path = os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])])
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "kernelgate.judge.warm", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=self._errors,
                stderr=self._errors,
                start_new_session=True,  # an interrupt of the notebook reaches the notebook only
                env={**os.environ, "PYTHONPATH": path},
            )
        finally:
            theirs.close()

    def start_judge(self) -> tuple[Channel, int]:
        """A new judge, waiting for its job: the socket to it and its process id. Raises ChannelClosed."""
        channel, theirs = channel_pair()
        try:
            self.control.send(Start("judge"), [theirs.fileno()])
        finally:
            theirs.close()
        started, _ = self.control.receive(Notice, timeout_s=120)
        if not isinstance(started, Started):
            raise ChannelClosed
        return channel, started.pid

    def end_judge(self, pid: int, *, stop: bool) -> None:
        """Waits until a judge and its workers are gone; stops them where asked. Raises ChannelClosed."""
        if stop:
            self.control.send(Stop(pid))
        while True:
            notice, _ = self.control.receive(Notice, timeout_s=10)
            if isinstance(notice, Ended) and notice.pid == pid:
                return

    def error_text(self) -> str:
        """What the process wrote to its standard error, the last of it."""
        self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, self._errors.tell() - 4000))
        return self._errors.read().decode(errors="replace")

    def close(self) -> None:
        self.control.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=5)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._errors.close()


_idle: list[WarmClient] = []
_lock = threading.Lock()


def _take() -> WarmClient:
    with _lock:
        return _idle.pop() if _idle else WarmClient()


def _give_back(client: WarmClient) -> None:
    with _lock:
        _idle.append(client)


def run(job: Job, on_report: OnReport | None = None) -> Report:
    """Runs a job to its finished report. Interrupted, it returns a cancelled one. Raises UsageError."""
    checked(job)
    job.cache = job.cache or str(cache_folder())
    last = first_report(job)
    if on_report is not None:
        on_report(last)
    if len(job.text) > MAX_SOURCE_BYTES:
        return _too_large(last, len(job.text))
    warm = _take()
    try:
        finished, last = _follow(warm, job, last, on_report)
    except BaseException:
        warm.close()
        raise
    if not finished:
        log = warm.error_text()
        warm.close()
        return _closed(
            last,
            "internal",
            "Not judged: the judge's process ended",
            Failure(
                stage=None,
                what="The process that judges ended before its verdict",
                next_step="Run it again; if it happens again, report it with the log below",
                log=cut(log, 20000),
                log_lines=log.count("\n"),
            ),
        )
    _give_back(warm)
    return last


def _follow(warm: WarmClient, job: Job, last: Report, on_report: OnReport | None) -> tuple[bool, Report]:
    """Until the judge is done: whether there is a finished report, and the last one."""
    pid = None
    try:
        channel, pid = warm.start_judge()
        channel.send(job)
        while last.state == "running":
            received: tuple[Report, Any] = channel.receive(Report)
            last = received[0]
            if on_report is not None and last.state == "running":
                on_report(last)
        channel.close()
        warm.end_judge(pid, stop=False)
    except KeyboardInterrupt:
        if pid is not None:
            warm.end_judge(pid, stop=True)
        stage = next((s.name for s in last.stages if s.state == "running"), None)
        while_words = {"build": " while compiling", "check": " while checking"}.get(stage or "", "")
        return True, _closed(last, "cancelled", f"Cancelled{while_words}: no verdict", None)
    except (ChannelClosed, ChannelTimeout, ProtocolError):
        return last.state == "finished", last
    return True, last


def _closed(report: Report, kind: VerdictKind, sentence: str, failure: Failure | None) -> Report:
    report.state = "finished"
    report.verdict = Verdict(outcome=OUTCOMES[kind], kind=kind, sentence=sentence)
    report.failure = failure
    close_stages(report)
    return report


def _too_large(report: Report, size: int) -> Report:
    what = f"The program has {size:,} characters; at most {MAX_SOURCE_BYTES:,} are read"
    failure = Failure(stage="build", what=one_line(what, 600), next_step="Give the program alone, without data in it")
    return _closed(report, "read", "Cannot be read: it is too large", failure)
