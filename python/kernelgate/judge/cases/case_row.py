"""A case's row of the report: what was wrong, where, and the first element that differs.

In: a row, and what comparing its case has found. Out: the row's words and figures. Not here: running the case
(`judge.stages.check`).
"""

from __future__ import annotations

import contextlib
from typing import Any

import torch

from kernelgate.check.tolerance.numerics import Comparison
from kernelgate.judge.comparison.compare import WrongResult
from kernelgate.judge.reference.parameter_states import State
from kernelgate.judge.run_context import RunContext
from kernelgate.report import Case, Mismatch, Redraw, one_line
from kernelgate.report.wording import first_wrong
from kernelgate.report.wrong_results import Wrong


def count(row: Case, found: Comparison) -> None:
    row.total, row.wrong = found.total, found.wrong
    row.max_ulp, row.error_units, row.by_distribution = found.max_ulp, found.error_units, found.by_distribution


def say(row: Case, how: Wrong) -> None:
    row.kind, row.message = how.kind, one_line(how.words, 600)


def where(row: Case) -> str:
    words = f"Case “{row.name}” ({row.shape} {row.dtype}, {row.distribution})"
    if row.first is None:
        return words
    return f"{words}: {row.wrong:,} of {row.total:,} elements differ; {first_wrong(row.first)}"


def mismatch(inputs: list[Any], exc: WrongResult, expected: torch.Tensor) -> Mismatch | None:
    found, got = exc.comparison, exc.got
    if found is None or found.first is None or got is None:
        return None
    index = [int(place) for place in torch.unravel_index(torch.tensor(found.first), expected.shape)]
    given = None
    tensors = [v for v in inputs if isinstance(v, torch.Tensor)]
    if len(tensors) == 1 and tensors[0].shape == expected.shape:
        given = _number(tensors[0][tuple(index)])
    return Mismatch(
        index=one_line(str(index), 120),
        input=given,
        got=_number(got[tuple(index)]),
        expected=_number(expected[tuple(index)]),
    )


def _number(value: torch.Tensor) -> str:
    """A number with as many digits as distinguish it from its neighbours."""
    if not value.is_floating_point():
        return one_line(str(value.item()), 60)
    with contextlib.suppress(TypeError):
        digits = {torch.float64: 17, torch.float32: 9}.get(value.dtype, 5)
        return f"{float(value):.{digits}g}"
    return one_line(str(value.item()), 60)


def redraw_of(run: RunContext, state: State) -> Redraw | None:
    job = run.job
    redraw = Redraw(
        problem=job.problem,
        sizes=run.reference.sizes,
        parameters="integers" if state == "integers" else "own",
        allow_arithmetic=job.allow_arithmetic,
    )
    return redraw if len(redraw.sizes) <= 64 and all(len(name) <= 120 for name in redraw.sizes) else None
