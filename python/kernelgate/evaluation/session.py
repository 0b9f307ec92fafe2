"""One evaluation, as the command and the notebook run it: rows come, are kept, and are shown.

In: what is asked, an engine, where rows are kept. Out: `Evaluation`, all rows in the order of the question.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kernelgate.evaluation.asked import Asked
from kernelgate.evaluation.conduct import judge_all
from kernelgate.evaluation.engines import Engine
from kernelgate.evaluation.results_file import ResultsFile
from kernelgate.evaluation.row import Row
from kernelgate.evaluation.table import Pace


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
