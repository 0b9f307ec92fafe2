"""One case: its inputs, the reference's result for them, and the candidate's call.

In: a run and a plan. Out: a `DrawnCase`, then a `Result`. Not here: whether it is right (`judge.comparison.compare`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from kernelgate.check.inputs.cases import Plan, case_seed
from kernelgate.check.nesting import flatten
from kernelgate.check.unwritten import filled_empty, left_unwritten, may_leave_unwritten
from kernelgate.judge.candidate.call_result import Result
from kernelgate.judge.reference.expected import Expected
from kernelgate.judge.reference.parameter_states import State
from kernelgate.judge.run_context import RunContext


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
    """Raises NotAccepted where the reference refuses the inputs, RunEnded where its result holds no tensor."""
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
