"""Runs that go on while their caller does something else, by handle.

In: jobs. Out: handles, and what is known of each run by now. A handle is the run's id. The last `_MOST` runs are kept.
"""

from __future__ import annotations

import threading
import time

from kernelgate.messages.job import Job, UsageError
from kernelgate.report import Report
from kernelgate.run import run

_MOST = 200


class Run:
    """One run, in a thread of its own."""

    def __init__(self, job: Job) -> None:
        self.handle = job.run
        self.report: Report | None = None
        """The last one that is known; None before the first."""
        self.error = ""
        self._cancelled = threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._follow, args=(job,), daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        return not self._ended.is_set()

    def wait(self, seconds: float) -> None:
        self._ended.wait(seconds)

    def cancel(self) -> None:
        self._cancelled.set()

    def _follow(self, job: Job) -> None:
        try:
            self.report = run(job, self._note, self._watch)
        except Exception as exc:
            self.error = f"{type(exc).__name__}: {exc}"
        finally:
            self._ended.set()

    def _note(self, report: Report) -> None:
        self.report = report

    def _watch(self) -> None:
        if self._cancelled.is_set():
            raise KeyboardInterrupt


_runs: dict[str, Run] = {}
_lock = threading.Lock()


def begin(job: Job, wait_s: float) -> Run:
    """Begins a run, and waits for its end, but not for long."""
    started = Run(job)
    with _lock:
        _runs[started.handle] = started
        for handle in [handle for handle, one in _runs.items() if not one.is_running][
            : max(0, len(_runs) - _MOST)
        ]:
            del _runs[handle]
    started.wait(wait_s)
    return started


def known(handle: str) -> Run:
    """Raises UsageError."""
    found = _runs.get(handle)
    if found is None:
        raise UsageError(f"There is no run {handle!r}", "Give the handle of a run that was begun here")
    return found


def end_all(limit_s: float = 10.0) -> None:
    """Cancels what runs, and waits for it a while."""
    deadline = time.monotonic() + limit_s
    for one in list(_runs.values()):
        one.cancel()
    for one in list(_runs.values()):
        one.wait(max(0.0, deadline - time.monotonic()))
