"""Compares the result of a case with what is expected, and random results by their distribution over several calls.

In: a run, a case, and the result of its call. Out: a `Comparison`, or `WrongResult`.
Not here: comparing itself (`judge.comparison`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import torch
from msgspec import structs

from kernelgate.check.tolerance.numerics import Comparison
from kernelgate.judge.candidate.model_in_worker import Result
from kernelgate.judge.cases.case_call import DrawnCase
from kernelgate.judge.comparison.compare import RandomNumbers, WrongResult, which
from kernelgate.judge.comparison.randomness import CANDIDATE_CALLS, differs_in_distribution
from kernelgate.judge.reference.affordable import LONG
from kernelgate.judge.reference.calls import about_equal
from kernelgate.judge.run_context import RunContext

_MOST_OF_MANY = 1 << 20
"""Elements of a result of which many are drawn: all are held at once, and larger ones show enough in fewer calls."""


def compared(run: RunContext, case: DrawnCase, result: Result) -> Comparison:
    """Raises WrongResult, and RunEnded where the candidate is called again."""
    expected = case.expected
    try:
        found = run.comparer.check(result, expected, case.inputs, closely=case.is_of_the_problem)
    except RandomNumbers as exc:
        return _in_distribution(run, case, exc.numbers)
    if expected.seed is None or case.plan.distribution != "own" or run.reference.observed.keeps:
        return found
    # The reference's random numbers have to be those of the next call of this module too.
    again = run.session.call(case.inputs, _doing(case), seed=expected.seed + 1).outputs
    right = about_equal(again, expected.drawn_again(expected.seed + 1))
    return found if right else _in_distribution(run, case, expected.varying)


def _doing(case: DrawnCase) -> str:
    return f"calling ModelNew on case “{case.plan.name}” again"


def _in_distribution(run: RunContext, case: DrawnCase, random: Sequence[int]) -> Comparison:
    """Results of these numbers, which go by random ones."""
    expected = case.expected

    def candidate(seed: int) -> list[torch.Tensor]:
        return [one.clone() for one in run.session.call(case.inputs, _doing(case), seed=seed).outputs]

    assert expected.seed is not None
    small = sum(one.numel() for one in expected.values) <= _MOST_OF_MANY
    many = small and case.plan.distribution == "own" and run.reference.pace.level < LONG
    calls: Literal["some", "many"] = "many" if many else "some"
    found = differs_in_distribution(expected.drawn_again, candidate, expected.seed, random, calls)
    if found is not None:
        number, how = found
        raise WrongResult(structs.replace(how, where=which(number, expected)))
    run.live.note("check", f"results are random: compared by their distribution over {CANDIDATE_CALLS[calls]} calls")
    return Comparison(0, sum(one.numel() for one in expected.values), by_distribution=True)
