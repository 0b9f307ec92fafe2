"""What a run can afford: the sizes of the problem that come to it, and what is left out where its reference is slow, so
that it comes to an end in a minute.

In: the job, its device, and the candidate. Out: `Scaling`, or the end of a run that has no such sizes. A kernel in
emulation takes some hundred times as long as PyTorch's own on the same processor, and Triton's interpreter some tenth
of a millisecond for each operation of each program of a grid; a program without kernels is not emulated. On a GPU
memory decides.
What the problem itself asks of a program is left out last; of a drop-in, or a thorough run, nothing is. That goes by
what one call costs, counted before any is made: a loaded machine leaves out the same.
Not here: how smaller sizes are found (`check.sizes`).
"""

from __future__ import annotations

import ast
import dataclasses
import re
from bisect import bisect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch

from kernelgate.check.inputs.cases import Plan
from kernelgate.check.nesting import tensors_in
from kernelgate.check.problem import Problem
from kernelgate.check.sizes.numbers import numbers_in, repeated, shared_in_class, with_sizes
from kernelgate.check.sizes.search import BLOCK, Fitted, Search
from kernelgate.check.sizes.work import Budget, Work
from kernelgate.check.tolerance.rounding import ROUNDING_SAMPLES
from kernelgate.judge.endings.device_memory import room_on
from kernelgate.judge.endings.run_ended import NotJudged
from kernelgate.machine import available_bytes
from kernelgate.messages.job import Job, Verb
from kernelgate.program import Candidate
from kernelgate.report import Contract

EMULATED = Budget(elements=1 << 18, operations=1 << 25)
INTERPRETED = Budget(elements=1 << 15, operations=1 << 23)
ON_CPU = Budget(elements=1 << 20, operations=1 << 29)
ON_GPU = Budget(elements=1 << 22, operations=1 << 33)
"""Of a call on a GPU that does not need the problem's own size: some milliseconds, with its float64 oracle."""
_ABOVE_A_BOUND = Budget(elements=EMULATED.elements // 2, operations=EMULATED.operations)
_ABOVE_ON_CPU = Budget(elements=ON_CPU.elements // 2, operations=ON_CPU.operations)
_ABOVE_A_NUMBER = Budget(elements=1 << 22, operations=1 << 26)
"""Of the one or two calls of a case in which a number of the problem counts, as a window does."""
_COMPARED = re.compile(r"(?<![<>=-])[<>]=?\s*(\d[\d_]*)\b")
_MOST_COMPARED = 1 << 20
"""Of a call at sizes that keep one of them large."""
_MORE_IF_KEPT = 8  # times the budget
_TILES = 8
"""Powers of two from the most threads of a block down to 8, which bound a size if a program names them."""
_MOST_OPERATIONS = 1 << 38
"""Of one call on the CPU, if nothing smaller was found: some ten seconds. A check makes a hundred such calls."""
_BYTES_AN_ELEMENT = 64
"""In judge and worker together: float32 and float64, and several modules with parameters of their own; counted."""
_OPERATIONS_ON_GPU = 1 << 46
# Of the size of the input, in judge and workers together; counted, with some room.
_TENSORS_AT_ONCE: dict[Verb, int] = {"verify": 10, "benchmark": 14, "profile": 14}


@dataclass(frozen=True)
class Scaling:
    """`steps`: sizes that are set, each costing less than the one before; the last are those of the run. `work`: of one
    call at these; None if it cannot be counted, or a person has set them."""

    steps: tuple[dict[str, int], ...] = ({},)
    work: Work | None = None


def on_the_cpu(candidate: Candidate | None) -> Budget:
    """Of a candidate whose kernels the CPU has to run, if it has any; in doubt it has."""
    if candidate is not None and candidate.triton_kernels:
        return INTERPRETED
    has_cuda = candidate is None or candidate.kernels or candidate.extensions or "cpp_extension" in candidate.python
    return EMULATED if has_cuda else ON_CPU


def budget_for(device: torch.device, verb: Verb, itemsize: int, candidate: Candidate | None) -> Budget:
    if device.type == "cpu":
        return on_the_cpu(candidate)
    room = room_on(device)
    assert room is not None
    return Budget(max(1, int(room.free / _TENSORS_AT_ONCE[verb] / itemsize)), _OPERATIONS_ON_GPU)


def scaling(
    text: str, label: str, budget: Budget, given: Mapping[str, int], candidate: Candidate | None, *, on_cpu: bool
) -> Scaling:
    """`given`: sizes that a person has set, and that stay; those of a candidate that keeps its numbers stay too, if
    that costs little more. Raises NotJudged if nothing that fits was found, and what was found is far too large for
    the CPU."""
    theirs = candidate.python if candidate is not None else ""
    if candidate is not None and candidate.keeps_numbers:
        kept = {name: numbers[0].value for name, numbers in repeated(theirs, text).items()}
        fitted = Search(text, label, {**kept, **given}).fitted(budget)
        if fitted.work is not None and budget.excess(fitted.work) <= _MORE_IF_KEPT:
            return Scaling(fitted.steps, fitted.work)
    fitted = Search(text, label, given).fitted(budget)
    if fitted.work is not None and not budget.fits(fitted.work):
        fitted = _with_classes(text, label, budget, given, theirs) or fitted
        if on_cpu and fitted.work is not None:
            _refuse_too_large(label, fitted.work)
    return Scaling(fitted.steps, fitted.work)


def at_sizes(candidate: Candidate, reference: str, sizes: Mapping[str, int]) -> Candidate:
    """The candidate with the reference's sizes, where it repeats them and computes with them; on the same lines. One
    that keeps its numbers stays as it is."""
    if candidate.keeps_numbers:
        return candidate
    text = with_sizes(candidate.python, reference, sizes)
    return candidate if text == candidate.python else dataclasses.replace(candidate, python=text)


def other_sizes(
    text: str, label: str, given: Mapping[str, int], near: Mapping[str, int], budget: Budget
) -> dict[str, int] | None:
    """Sizes that leave other remainders than the problem's own; None if there are none. They are `near` those of the
    run, where these cost little."""
    search = Search(text, label, given)
    return search.others(search.affordable(near, budget) or search.fitted(budget).sizes, budget)


def smaller_sizes(text: str, label: str, given: Mapping[str, int]) -> dict[str, int] | None:
    """Sizes at which a call on a GPU costs milliseconds; None if it does at the text's own, or none were found."""
    found = Search(text, label, given).fitted(ON_GPU)
    fits = found.work is not None and found.followed and ON_GPU.fits(found.work)
    return found.sizes if fits and found.sizes else None


def above_bounds(
    text: str, label: str, given: Mapping[str, int], sizes: Mapping[str, int], candidate: Candidate
) -> Iterator[tuple[str, dict[str, int]]]:
    """Names of sizes and of what they are above in the problem and not at `sizes`, and sizes that keep them above it:
    the most threads of a block or a smaller power of two that the program names, as it names its tiles; a number that
    it compares with; or a number that counts for nothing at `sizes`. A program without kernels has no blocks."""
    search = Search(text, label, given)
    idle = [name for name in search.may_bound(sizes) if goes_by(text, label, name, sizes) is False]
    named = set(map(int, re.findall(r"\b\d{1,4}\b", candidate.python)))
    compared = (int(found) - 1 for found in _COMPARED.findall(candidate.python))
    tiles = {bound for bound in compared if BLOCK >> _TILES <= bound < _MOST_COMPARED}
    budget, most = _ABOVE_ON_CPU, dataclasses.replace(_ABOVE_A_NUMBER, operations=ON_CPU.operations)
    if on_the_cpu(candidate) != ON_CPU:
        tiles |= {BLOCK >> n for n in range(_TILES) if BLOCK >> n in {BLOCK, *named}}
        budget, most = _ABOVE_A_BOUND, _ABOVE_A_NUMBER
    for name, bound, found in search.above(sizes, budget, sorted(tiles, reverse=True), idle, most):
        if isinstance(bound, int) or goes_by(text, label, bound, found):
            yield f"{name} above {bound if isinstance(bound, str) else f'{bound:,}'}", found


def _with_classes(
    text: str, label: str, budget: Budget, given: Mapping[str, int], candidate: str
) -> Fitted | None:
    """The same, where numbers in classes that the candidate has too may be set."""
    try:
        ast.parse(candidate)
    except (SyntaxError, ValueError):
        return None
    shared = shared_in_class(text, candidate)
    return Search(text, label, given, in_class=shared).fitted(budget) if shared else None


_SMALLER = "Run it on a GPU, or set smaller sizes with --set NAME=SIZE"


def _refuse_too_large(label: str, work: Work) -> None:
    needed, free = work.elements * _BYTES_AN_ELEMENT, available_bytes()
    smallest = f"At the smallest sizes found at which {label} runs, one call takes"
    if free is not None and needed > free:
        what = f"{smallest} about {needed / 1e9:.0f} GB of memory in all; {free / 1e9:.0f} GB are free"
        raise NotJudged.here("it needs more memory than there is", what, _SMALLER)
    if work.operations > _MOST_OPERATIONS:
        what = f"{smallest} {work.operations:.1e} operations; the CPU has time for {_MOST_OPERATIONS:.0e}"
        raise NotJudged.here("too large to emulate", what, _SMALLER)


def goes_by(text: str, label: str, number: str, sizes: Mapping[str, int]) -> bool | None:
    """None if the two results cannot be compared."""
    value = numbers_in(ast.parse(text))[number].value
    try:
        one, other = (_results(text, label, {**sizes, number: each}) for each in (value, value - 1))
    except Exception:  # a reference may refuse a number by any exception
        return None
    if [tensor.shape for tensor in one] != [tensor.shape for tensor in other]:
        return None
    return not all(map(torch.equal, one, other))


def _results(text: str, label: str, sizes: Mapping[str, int]) -> list[torch.Tensor]:
    problem = Problem(text, label, torch.device("cpu"), sizes)
    module = problem.model(problem.init_inputs(0), 0, torch.float32)
    return tensors_in([problem.call(module, problem.inputs(0))])


# Of PyTorch on two cores: arithmetic, an operator's start, and an element that is read.
_OPERATION_S = 1 / 20e9
_CALL_S = 5e-5
_ELEMENT_S = 3e-9
_MOVED_S = 2e-4  # an operator that is computed in float64 and moved by rounding, in Python
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
    return Pace(call_s, call_s + work.calls * _MOVED_S)
