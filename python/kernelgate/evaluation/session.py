"""One evaluation, as the command and the notebook run it: rows come, are kept, and are shown.

In: what is asked, an engine, a file for the rows. Out: `Evaluation`, all rows in the order of the question; and the
file, JSON lines from which a later evaluation continues. A row is on the disk before the next one is asked for; a line
that a killed process left half written counts for nothing. One evaluation at a time writes a file.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from kernelgate.evaluation.asked import Asked
from kernelgate.evaluation.conduct import judge_all
from kernelgate.evaluation.engines import Engine
from kernelgate.evaluation.row import Row
from kernelgate.evaluation.table import Pace
from kernelgate.json_decode import decoded
from kernelgate.messages.job import UsageError


class ResultsFile:
    """Open for this evaluation alone. Raises UsageError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file = path.open("a+b")
        except OSError as exc:
            raise UsageError(
                f"{path} cannot be written: {(exc.strerror or '').lower()}",
                "Name another file with --results",
            ) from exc
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise UsageError(
                f"Another evaluation writes {path}", "Wait for it, or name another file with --results"
            ) from None

    def rows(self) -> dict[str, Row]:
        """The last row of each key. Raises UsageError if the file holds something else."""
        self._file.seek(0)
        data = self._file.read()
        lines = data.split(b"\n")
        if lines[-1]:  # a killed process was writing it
            self._file.truncate(len(data) - len(lines[-1]))
        found: dict[str, Row] = {}
        for number, line in enumerate(lines[:-1], start=1):
            if not line.strip():
                continue
            try:
                row = decoded(line, Row)
            except msgspec.MsgspecError as exc:
                raise UsageError(
                    f"{self.path} has no results of an evaluation in line {number}: {exc}",
                    "Name another file with --results",
                ) from None
            found[row.key] = row
        return found

    def add(self, row: Row) -> None:
        """Raises OSError if the disk is full."""
        self._file.write(msgspec.json.encode(row) + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()


def rows_of(path: Path) -> list[Row]:
    """The rows of a finished file, for what reads them. Raises UsageError."""
    if not path.is_file():
        raise UsageError(f"There is no file {path}", "Name the results of an evaluation")
    lines = path.read_bytes().split(b"\n")
    try:
        return list({row.key: row for row in (decoded(line, Row) for line in lines if line.strip())}.values())
    except msgspec.MsgspecError as exc:
        raise UsageError(f"{path} holds no results of an evaluation: {exc}", "Name another file") from None


@dataclass(frozen=True)
class Evaluation:
    """`rows`: those that there are, in the order of the question."""

    rows: list[Row]
    pace: Pace


OnRow = Callable[[Row, Evaluation], None]


def evaluate(all_asked: Sequence[Asked], engine: Engine, results: Path | None, on_row: OnRow) -> Evaluation:
    """Judges what the file `results` has no verdict of, and adds each row to it. Interrupted, it keeps what it has.

    Raises UsageError if the file cannot be used, KeyboardInterrupt.
    """
    file = ResultsFile(results) if results is not None else None
    try:
        known = file.rows() if file is not None else {}
        keys = list(dict.fromkeys(asked.key for asked in all_asked))
        rows = {key: known[key] for key in keys if key in known and known[key].is_judged}
        pace = Pace(len(keys), len(rows))
        for row in judge_all(all_asked, engine, known):
            if file is not None:
                file.add(row)
            rows[row.key] = row
            pace.done += 1
            on_row(row, _in_order(keys, rows, pace))
        return _in_order(keys, rows, pace)
    finally:
        if file is not None:
            file.close()


def _in_order(keys: Sequence[str], rows: dict[str, Row], pace: Pace) -> Evaluation:
    return Evaluation([rows[key] for key in keys if key in rows], pace)
