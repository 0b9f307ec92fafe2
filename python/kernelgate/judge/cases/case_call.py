"""One case: its inputs, the reference's result for them, the candidate's call, and its row of the report.

In: a run and a plan. Out: a `DrawnCase`, then a `Result`; of a wrong one, whether it was read too early. Where the
reference leaves memory unwritten, the inputs do not determine the result: the same call is made with such memory
filled, with NaN or the largest whole number, and the fill shows. Not here: whether it is right
(`judge.comparison.compare`), work that is unfinished by luck (`judge.gates.calling`).
"""

from __future__ import annotations

import contextlib
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from kernelgate.check.inputs.cases import Plan, case_seed
from kernelgate.check.nesting import flatten
from kernelgate.check.tolerance.numerics import Comparison
from kernelgate.judge.candidate.model_in_worker import Result
from kernelgate.judge.comparison.compare import WrongResult
from kernelgate.judge.endings.run_ended import RunEnded
from kernelgate.judge.reference.copies import State
from kernelgate.judge.reference.expected import Expected
from kernelgate.judge.run_context import RunContext
from kernelgate.messages.parcel import BadParcel
from kernelgate.report import Case, Mismatch, Redraw, one_line
from kernelgate.report.wording import first_wrong
from kernelgate.report.wrong_results import Wrong


@dataclass(frozen=True)
class DrawnCase:
    """`state`: which parameters the module has. On a GPU it takes much memory: keep one at a time."""

    plan: Plan
    inputs: list[Any]
    expected: Expected
    dtype: torch.dtype
    state: State

    @property
    def is_of_the_problem(self) -> bool:
        """Whether its inputs are the problem's own."""
        return self.plan.contract == "problem" and self.plan.distribution in ("own", "again")


def made_up(plan: Plan) -> bool:
    """Whether its numbers are none that the problem draws. What a result for infinities is, is asked by intent."""
    return plan.distribution not in ("own", "again", "not finite")


def draw_case(run: RunContext, plan: Plan) -> DrawnCase:
    """Raises NotAccepted if the reference refuses the inputs, RunEnded where its result holds no tensor."""
    reference = run.reference
    dtype = plan.dtype or reference.dtype
    # Small integers for parameters can be asked of a candidate that has the reference's.
    exact_sums = reference.graded and reference.has_state and run.session.state_loaded
    state: State = "integers" if plan.distribution == "integers" and exact_sums else "own"
    seed = case_seed(run.seed, plan.name)
    inputs = reference.inputs(plan, seed)
    expected = reference.expected(inputs, dtype, state)
    expected.made_up = made_up(plan)
    return DrawnCase(plan, inputs, expected, dtype, state)


def leaves_unwritten(run: RunContext, case: DrawnCase) -> bool:
    """Whether a part of the reference's result is memory that it has not written, such as rows of no sequence. Asked
    of a case beyond the problem that is wrong: it takes a call, with all such memory filled."""
    # PyTorch's own operators do so for empty inputs.
    possible = case.plan.name == "empty" or may_leave_unwritten(run.job.reference_text)
    if case.plan.contract == "problem" or not possible:
        return False
    with filled_empty():
        filled = run.reference.call(run.reference.module(case.dtype, case.state), case.inputs)
    return left_unwritten(case.expected.values, flatten(filled)[1])


def call_case(run: RunContext, case: DrawnCase) -> Result:
    """Raises RunEnded, and BadParcel for a result that cannot be opened."""
    run.session.construct(case.dtype, case.state)
    doing = f"calling ModelNew on case “{case.plan.name}”"
    return run.session.call(case.inputs, doing, seed=case.expected.seed)


# Whether each call waits for the whole device, or is one that may be wrong for want of it. The first one ends it for
# most wrong programs. A program that is wrong at every second, third or fourth call, whatever is waited for, is wrong
# at one that waits, or right at one that does not.
_WAITS = (True, True, False, True, False, True, True, True, True)


def is_read_too_early(run: RunContext, case: DrawnCase) -> bool:
    """Whether every call is right that the whole device is waited for, and none of the others."""

    def is_right(manner: str) -> bool:
        doing = "calling ModelNew again: its result is wrong"
        result = run.session.call(case.inputs, doing, manner=manner, seed=case.expected.seed)
        return run.comparer.agrees(result.outputs, case.expected)

    try:
        run.session.construct(case.dtype, case.state)
        # One that is right in a plain call by luck is not with inputs that arrive late.
        ways = ((True, ("waited for",)) if waits else (False, ("plain", "late inputs")) for waits in _WAITS)
        return all(all(map(is_right, manners)) == right for right, manners in ways)
    except (RunEnded, BadParcel):
        return False


_WORDS = re.compile(r"\bempty|\bnew_empty")


def may_leave_unwritten(text: str) -> bool:
    """Whether a reference program makes memory that it has to fill itself."""
    return _WORDS.search(text) is not None


@contextlib.contextmanager
def filled_empty() -> Iterator[None]:
    """Inside, memory without values is filled, also that which PyTorch's own operators make:
    https://docs.pytorch.org/docs/stable/deterministic.html. torch.use_deterministic_algorithms would import the
    compiler, which takes seconds."""
    before = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    fills = torch.utils.deterministic.fill_uninitialized_memory
    torch._C._set_deterministic_algorithms(True, warn_only=True)
    torch.utils.deterministic.fill_uninitialized_memory = True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of operators that have no other way to compute
            yield
    finally:
        torch.utils.deterministic.fill_uninitialized_memory = fills
        torch._C._set_deterministic_algorithms(before[0], warn_only=before[1])


def left_unwritten(values: Sequence[torch.Tensor], filled: Sequence[torch.Tensor]) -> bool:
    """Whether a result holds memory that nobody has written. `values`: as it was; `filled`: of the same call, in that
    state."""
    return any(
        one.shape == other.shape and bool((_is_fill(other) & ~_is_fill(one)).any())
        for one, other in zip(values, filled, strict=False)
    )


def _is_fill(value: torch.Tensor) -> torch.Tensor:
    if value.is_floating_point() or value.is_complex():
        return value.isnan()
    return value == (True if value.dtype == torch.bool else torch.iinfo(value.dtype).max)


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
