"""An evaluation from the first candidate to the last: each is judged once, on any engine.

In: what is asked, an engine, and the rows that a results file has. Out: rows, as they come. A run that ends without a
result costs its own row: it is asked once more, and then its row says so. What an engine answers is checked as anything
from another process is. `judged` is what its workers call, in whichever process and on whichever machine they are.
Not here: how rows are shown (`evaluation.table`).
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

import msgspec

from kernelgate.evaluation.asked import Asked, limit_s
from kernelgate.evaluation.engines import Engine
from kernelgate.evaluation.row import Row
from kernelgate.messages.build_requests import BUILDER_ENDED, COMPILER_ENDED
from kernelgate.messages.job import Job, new_run_id
from kernelgate.report import Report, one_line
from kernelgate.report.wording import KILLED
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


_ATTEMPTS = 2
_ATTEMPTS_KILLED = 3  # of which the last is its verdict: a program may kill itself
_SAID_OF_KILLS = (KILLED, BUILDER_ENDED, COMPILER_ENDED, "signal terminated program")  # the last by gcc


def judge_all(all_asked: Sequence[Asked], engine: Engine, known: Mapping[str, Row]) -> Iterator[Row]:
    """A row for each candidate that `known` has no verdict of, in the order in which they end. Interrupted, it leaves
    the engine to its owner."""
    waiting = _Waiting(engine)
    try:
        for asked in {asked.key: asked for asked in all_asked}.values():
            there = known.get(asked.key)
            if there is not None and there.is_judged:
                continue
            if asked.job is None:
                yield Row(key=asked.key, name=asked.name[:400], attempts=0, error=one_line(asked.error, 600))
                continue
            lost = waiting.submit(asked, 1)
            if lost is not None:
                yield lost
        while waiting:
            row = waiting.next()
            if row is not None:
                yield row
    finally:
        waiting.cancel()


class _Waiting:
    """What an engine has been given and has not answered."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._ended: queue.SimpleQueue[Future[Any]] = queue.SimpleQueue()
        self._asked: dict[Future[Any], tuple[Asked, int]] = {}

    def __len__(self) -> int:
        return len(self._asked)

    def submit(self, asked: Asked, attempt: int) -> Row | None:
        """Its row if the engine takes nothing more."""
        assert asked.job is not None
        job = msgspec.structs.replace(asked.job, run=new_run_id())
        try:
            future = self._engine.submit(judged, msgspec.to_builtins(job), limit_s(job))
        except Exception as exc:  # of an engine that we do not know
            return _lost(asked, attempt - 1, exc)
        self._asked[future] = (asked, attempt)
        future.add_done_callback(self._ended.put)
        return None

    def next(self) -> Row | None:
        """Waits until a run ends; None if it is asked again."""
        limit = max(limit_s(asked.job) for asked, _ in self._asked.values() if asked.job is not None)
        try:
            # Each run ends within its limit, so an engine that is silent for longer has lost what it has begun.
            future = self._ended.get(timeout=2 * limit)
        except queue.Empty:
            future = next(iter(self._asked))
            future.cancel()
        if future not in self._asked:
            return None  # it was given up before
        asked, attempt = self._asked.pop(future)
        try:
            if not future.done():
                raise TimeoutError(f"the engine has been silent for {2 * limit:.0f} s")
            report = msgspec.convert(future.result(), Report)
        except Exception as exc:
            return self.submit(asked, attempt + 1) if attempt < _ATTEMPTS else _lost(asked, attempt, exc)
        if attempt < _attempts(report):
            return self.submit(asked, attempt + 1)
        return _row(asked, attempt, report)

    def cancel(self) -> None:
        for future in self._asked:
            future.cancel()


def _attempts(report: Report) -> int:
    """How often a run may be tried that ended so. One without a verdict of its own, twice. One in which a process was
    killed says something of the program, but it may have been done from outside."""
    verdict = report.verdict
    if verdict is None or verdict.kind in ("internal", "cancelled"):
        return _ATTEMPTS
    said = msgspec.json.encode(report).decode()
    return _ATTEMPTS_KILLED if any(words in said for words in _SAID_OF_KILLS) else 1


def _row(asked: Asked, attempts: int, report: Report) -> Row:
    return Row(
        key=asked.key,
        name=asked.name[:400],
        problem=report.problem.id,
        attempts=attempts,
        source=dict(asked.source),
        file=asked.file[:4096],
        report=report,
    )


def _lost(asked: Asked, attempts: int, exc: Exception) -> Row:
    """A row without a report. The engine's words, as its process may have none of ours."""
    said = f"{type(exc).__name__}: {exc}" if str(exc) else type(exc).__name__
    times = "once" if attempts == 1 else f"{attempts} times"
    tried = f"No result, tried {times}" if attempts else "No result, never begun"
    name = asked.job.problem or asked.job.reference_label if asked.job is not None else ""
    return Row(
        key=asked.key,
        name=asked.name[:400],
        problem=one_line(name, 120),
        attempts=attempts,
        error=one_line(f"{tried}: {said}", 600),
    )
