"""One job on an engine: what its workers call, in whichever process and on whichever machine they are.

In: a job as plain data. Out: a report as plain data; `Lost` where the run gave none.
"""

from __future__ import annotations

import threading
import time
from typing import Any

import msgspec

from kernelgate.messages.job import Job
from kernelgate.run import run


class Lost(Exception):
    """A run without a result: its process did not answer, or it was ended from outside."""


def judged(job: dict[str, Any], limit_s: float, stop: threading.Event | None = None) -> dict[str, Any]:
    """The finished report of a run that may take `limit_s` seconds in all. `stop`: ends it early. Raises Lost."""
    deadline = time.monotonic() + limit_s

    def watch() -> None:
        if time.monotonic() >= deadline or (stop is not None and stop.is_set()):
            raise KeyboardInterrupt

    report = run(msgspec.convert(job, Job), watch=watch)
    if stop is not None and stop.is_set():
        raise Lost("it was stopped")
    if time.monotonic() >= deadline and report.verdict is not None and report.verdict.kind == "cancelled":
        raise Lost(f"there was no answer within {limit_s:.0f} s")
    found: dict[str, Any] = msgspec.to_builtins(report)
    return found
