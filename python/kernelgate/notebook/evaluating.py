"""`kernelgate.evaluate`: many candidates from Python, with one table that grows where there is a notebook."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, get_args

from kernelgate.atomic_write import write_whole
from kernelgate.commands.program_files import check_writable
from kernelgate.evaluation import session
from kernelgate.evaluation.asked import asked_as_json
from kernelgate.evaluation.engines import engine_of, local_processes
from kernelgate.evaluation.found import asked_in
from kernelgate.evaluation.row import Row
from kernelgate.evaluation.session import Evaluation
from kernelgate.evaluation.table import as_html, as_page, as_text, line
from kernelgate.messages.job import UsageError, Verb, suggestion
from kernelgate.notebook.sources import shell_here

Jobs = str | PathLike[str] | Sequence[Mapping[str, Any]]


class ShownEvaluation:
    """All rows; it displays itself as a table. `rows`: a row each, with `name`, `outcome` and `report`."""

    def __init__(self, found: Evaluation, *, is_shown: bool) -> None:
        self.rows: list[Row] = found.rows
        self._found = found
        self._is_shown = is_shown

    def __repr__(self) -> str:
        return as_text(self._found.rows, self._found.pace)

    def _repr_mimebundle_(self, **_formats: Any) -> dict[str, str]:
        if self._is_shown:  # in the cell that made it, whose output has the table
            self._is_shown = False
            return {}
        return _bundle(self._found)

    def to_html(self, path: str | PathLike[str]) -> None:
        """Writes the table and the reports as a page. Raises UsageError."""
        check_writable(str(path))
        write_whole(Path(path), as_page(self._found.rows, self._found.pace).encode())


def evaluate(
    jobs: Jobs,
    executor: Any = None,
    *,
    problems: str | None = None,
    results: str | PathLike[str] | None = None,
    slots: int | None = None,
    verb: Verb = "verify",
    **options: Any,
) -> ShownEvaluation:
    """Judges many candidates, each once, and returns a row for each.

    `jobs`: a file, a folder or a list of jobs, or objects such as {"candidate": text or file, "problem": "leakyrelu"};
    an object may have a `reference` instead of the problem, `options`, a `name` and a `verb`. `executor`: anything with
    `submit` that gives a Future, the module `ray`, or an executor of submitit; without it, `slots` processes here.
    `problems`: a folder of problems, where a program goes by its problem's name. `results`: a file that keeps the rows;
    with the same one again, only what has no verdict is judged. Further options, as those of `kernelgate.verify`, hold
    for all jobs.

        kernelgate.evaluate("candidates", problem="leakyrelu", results="results.jsonl")

    Raises UsageError; KeyboardInterrupt where it is interrupted.
    """
    if verb not in get_args(Verb):
        raise UsageError(f"There is no verb {verb!r}", suggestion(str(verb), get_args(Verb)))
    if isinstance(jobs, str | PathLike):
        found = asked_in([str(jobs)], options, problems, verb)
    elif problems is not None:
        raise UsageError("A folder of problems needs a folder of candidates", "Give each job its problem")
    else:
        found = [asked_as_json(job, at, Path(), options, verb) for at, job in enumerate(jobs, start=1)]
    local = local_processes(slots) if executor is None else None
    file = Path(results) if results is not None else None
    shown = _Table() if shell_here() is not None else _Lines()
    try:
        done = session.evaluate(
            found, local or engine_of(executor), file, shown.row
        )
    finally:
        if local is not None:
            local.close()
    shown.close(done)
    return ShownEvaluation(done, is_shown=isinstance(shown, _Table))


class _Table:
    """One output of the running cell."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._drawn = 0.0

    def row(self, _row: Row, so_far: Evaluation) -> None:
        if time.monotonic() - self._drawn > 1:
            self.close(so_far)

    def close(self, so_far: Evaluation) -> None:
        from IPython.display import display

        self._drawn = time.monotonic()
        if self._handle is None:
            self._handle = display(_bundle(so_far), raw=True, display_id=True)
        else:
            self._handle.update(_bundle(so_far), raw=True)


class _Lines:
    """The same, where there is no notebook."""

    def row(self, row: Row, _so_far: Evaluation) -> None:
        print(line(row), file=sys.stderr, flush=True)

    def close(self, so_far: Evaluation) -> None:
        pass


def _bundle(found: Evaluation) -> dict[str, str]:
    return {"text/html": as_html(found.rows, found.pace), "text/plain": as_text(found.rows, found.pace)}
