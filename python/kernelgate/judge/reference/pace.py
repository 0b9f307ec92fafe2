"""What a run leaves out where its reference is slow, so that it comes to an end in a minute.

In: what one call of the reference costs, counted before any is made: a loaded machine leaves out the same. Out: which
cases and gates are left out, and how often rounding is tried. What the problem itself asks of a program is left out
last; of a drop-in, or a thorough run, nothing is.
Not here: the sizes, which are chosen before (`judge.reference.affordable`).
"""

from __future__ import annotations

from dataclasses import dataclass

from kernelgate.check.inputs.cases import Plan
from kernelgate.check.sizes.work import Work
from kernelgate.check.tolerance.rounding import ROUNDING_SAMPLES
from kernelgate.messages.job import Job
from kernelgate.report import Contract

# Of PyTorch on two cores: arithmetic, an operator's start, and an element that is read.
_OPERATION_S = 1 / 20e9
_CALL_S = 5e-5
_ELEMENT_S = 3e-9
# Of a GPU where each operator is computed in float64 and moved by rounding, in Python; estimates that make those
# references slow whose runs took over a minute in bench/results/h100/kernelbench-14584a0.json.
_GPU_OPERATION_S = 1 / 2.5e12
_GPU_LAUNCH_S = 1.5e-4
# Chosen by which of KernelBench's networks took about a minute on two cores: docs/judging-evidence.md.
_LONG_S = 0.0125
_SLOW_S = 0.022
_VERY_SLOW_S = 0.15
_SLOWEST_S = 0.3

_SLOW_CASES = frozenset({"as given", "drawn again", "normal", "extremes", "integers", "odd size", "strided slice"})
_VERY_SLOW_CASES = frozenset({"as given", "drawn again", "normal"})
_SLOW_GATES = frozenset({"gradient", "train and eval"})
# Of the problem's own: those that take many calls, or a module more, for faults that are rare.
_NOT_OF_THE_SLOWEST = frozenset({"beside another module", "calls in a row", "in inference mode"})


@dataclass(frozen=True)
class Pace:
    """`call_s`: what a call of the reference takes, about, in seconds of a CPU; 0 on a GPU, and where nothing is to be
    left out. `sample_s`: the same of a call whose operators are moved by rounding, on a GPU too."""

    call_s: float = 0.0
    sample_s: float = 0.0

    @property
    def why(self) -> str:
        """Why something is left out."""
        return f"the reference is slow ({self.call_s:.1g} s a call); --thorough runs it"

    def leaves_out_case(self, plan: Plan) -> bool:
        """PyTorch's own samples bring sizes of their own."""
        if not self.slow or plan.sample is not None:
            return False
        return plan.name not in (_SLOW_CASES if self.call_s < _VERY_SLOW_S else _VERY_SLOW_CASES)

    def leaves_out_gate(self, name: str, contract: Contract) -> bool:
        """Hardly one of the problem's own."""
        if contract == "problem":
            return self.call_s >= _SLOWEST_S and name in _NOT_OF_THE_SLOWEST
        if not self.slow:
            return False
        return self.call_s >= _VERY_SLOW_S or name not in _SLOW_GATES

    @property
    def slow(self) -> bool:
        """Whether a call takes a CPU so long that what costs several calls is left out."""
        return self.call_s >= _SLOW_S

    @property
    def every_gradient(self) -> bool:
        """Whether a gradient is asked for in the ways that seldom find more than the first ones."""
        return self.call_s < _LONG_S

    @property
    def mutants_of_own_bits(self) -> bool:
        """Whether mutants are made for a result with the bits of PyTorch's own, which passes at any tolerance."""
        return self.call_s < _LONG_S

    @property
    def other_size(self) -> bool:
        """Whether another size is looked for and tried."""
        return not self.slow

    @property
    def far_cases(self) -> bool:
        """Whether it is asked how far from 1 the reference has values."""
        return not self.slow

    @property
    def every_bound(self) -> bool:
        """Whether the bounds of TF32 and BF16 are computed where no error asks for them."""
        return self.call_s < _LONG_S

    @property
    def rounding_samples(self) -> int:
        """How often rounding is tried for the tolerance of a case."""
        if self.sample_s < _SLOW_S:
            return ROUNDING_SAMPLES
        return 3 if self.sample_s < _VERY_SLOW_S else 2

    @property
    def mutant_cases(self) -> int | None:
        """To how many cases mutants are shown; None for all of the problem's."""
        if self.sample_s < _SLOW_S:
            return None
        return 2 if self.sample_s < _VERY_SLOW_S else 1

    @property
    def doubts_mutants(self) -> bool:
        """Whether rounding is tried more often for a mutant that is hardly wrong, as it is for a candidate."""
        return self.sample_s < _SLOW_S


def pace_of(job: Job, work: Work | None, *, on_cpu: bool) -> Pace:
    """`work`: of one call at the run's sizes; None where nobody can say."""
    if work is None or job.thorough or job.contract == "drop-in":
        return Pace()
    if not on_cpu:
        return Pace(sample_s=work.operations * _GPU_OPERATION_S + work.launches * _GPU_LAUNCH_S)
    call_s = work.operations * _OPERATION_S + work.calls * _CALL_S + work.elements * _ELEMENT_S
    return Pace(call_s, call_s)
