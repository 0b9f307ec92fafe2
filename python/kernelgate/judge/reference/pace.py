"""What a run leaves out where its reference is slow, so that it comes to an end in a minute.

In: what one call of the reference costs, counted before any is made: a loaded machine leaves out the same. Out: which
cases and gates are left out, and how often rounding is tried. What the problem itself asks of a program is left out
last; of a drop-in, or a thorough run, nothing is.
Not here: the sizes, which are chosen before (`judge.reference.affordable`).
"""

from __future__ import annotations

from bisect import bisect
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
# From so many seconds a call more is left out. Chosen by which of KernelBench's networks took about a minute on two
# cores: docs/judging-evidence.md.
_LEVELS_S = (0.0125, 0.022, 0.15, 0.3)
LONG, SLOW, VERY_SLOW, SLOWEST = 1, 2, 3, 4
# What is tried up to another level than the others of its kind: cases, and gates beyond the problem, up to LONG, the
# problem's own gates always. Three of these take many calls, or a module more, for faults that are rare.
_UP_TO = {
    **dict.fromkeys(("as given", "drawn again", "normal"), SLOWEST),
    **dict.fromkeys(("extremes", "integers", "odd size", "strided slice", "gradient", "train and eval"), SLOW),
    **dict.fromkeys(("beside another module", "calls in a row", "in inference mode"), VERY_SLOW),
}


@dataclass(frozen=True)
class Pace:
    """`call_s`: what a call of the reference takes, about, in seconds of a CPU; 0 on a GPU, and if nothing is to be
    left out. `sample_s`: the same of a call whose operators are moved by rounding, on a GPU too."""

    call_s: float = 0.0
    sample_s: float = 0.0

    @property
    def level(self) -> int:
        """From 0. At LONG, what seldom finds more than the rest is left out; at SLOW, what costs several calls."""
        return bisect(_LEVELS_S, self.call_s)

    @property
    def why(self) -> str:
        """Why something is left out."""
        return f"the reference is slow ({self.call_s:.1g} s a call); --thorough runs it"

    def leaves_out_case(self, plan: Plan) -> bool:
        """PyTorch's own samples bring sizes of their own."""
        return plan.sample is None and self.level > _UP_TO.get(plan.name, LONG)

    def leaves_out_gate(self, name: str, contract: Contract) -> bool:
        return self.level > _UP_TO.get(name, SLOWEST if contract == "problem" else LONG)

    @property
    def _sample_level(self) -> int:
        return bisect(_LEVELS_S, self.sample_s)

    @property
    def rounding_samples(self) -> int:
        """How often rounding is tried for the tolerance of a case."""
        return ROUNDING_SAMPLES if self.doubts_mutants else 3 if self._sample_level < VERY_SLOW else 2

    @property
    def mutant_cases(self) -> int | None:
        """To how many cases mutants are shown; None for all of the problem's."""
        return None if self.doubts_mutants else 2 if self._sample_level < VERY_SLOW else 1

    @property
    def doubts_mutants(self) -> bool:
        """Whether rounding is tried more often for a mutant that is hardly wrong, as it is for a candidate."""
        return self._sample_level < SLOW


def pace_of(job: Job, work: Work | None, *, on_cpu: bool) -> Pace:
    """`work`: of one call at the run's sizes; None if nobody can say."""
    if work is None or job.thorough or job.contract == "drop-in":
        return Pace()
    if not on_cpu:
        return Pace(sample_s=work.operations * _GPU_OPERATION_S + work.launches * _GPU_LAUNCH_S)
    call_s = work.operations * _OPERATION_S + work.calls * _CALL_S + work.elements * _ELEMENT_S
    return Pace(call_s, call_s)
