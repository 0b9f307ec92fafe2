"""The results of an evaluation as they come: a file of JSON lines, a row each. A later evaluation continues from it.

In: rows. Out: the file, and the rows that it has. A row is on the disk before the next one is asked for; a line that a
killed process left half written counts for nothing. One evaluation at a time writes a file.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import msgspec

from kernelgate.evaluation.row import Row
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
