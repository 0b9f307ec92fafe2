"""Shows the mutants of `check.mutants`, results known to be wrong, to a run's own comparison, case by case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch

from kernelgate.check.mutants import Tally, known_wrong
from kernelgate.check.numerics import any_wrong
from kernelgate.judge.compare import Comparer
from kernelgate.judge.reference import Expected, Reference
from kernelgate.report import Power, one_line

_TOO_LITTLE = 0.8


class MutationScore:
    def __init__(self, reference: Reference, comparer: Comparer) -> None:
        self._reference = reference
        self._comparer = comparer
        self._tally = Tally()
        self._previous: torch.Tensor | None = None

    def show(self, inputs: Sequence[Any], expected: Expected) -> None:
        """One case of the problem that a candidate has just passed."""
        for name, wrong in self._mistakes(inputs, expected):
            if not self._tally.open(name) or wrong.shape != expected.value.shape:
                continue
            differs = any_wrong(wrong, expected.value)
            caught = differs and (
                expected.bounds is None or bool(self._comparer.compare(wrong, expected).wrong)
            )
            self._tally.note(name, differs=differs, caught=caught)
        self._previous = expected.value

    def _mistakes(self, inputs: Sequence[Any], expected: Expected) -> Iterator[tuple[str, torch.Tensor]]:
        reference, value = self._reference, expected.value
        yield from known_wrong(inputs, value, self._previous)
        if self._tally.open("a constant wrong by 10 %"):
            perturbed = reference.perturbed(1.1)
            if perturbed is not None:
                yield "a constant wrong by 10 %", reference.call(perturbed, inputs)
        if value.dtype in (torch.float32, torch.float64) and self._tally.open("computed in bfloat16"):
            half = [
                v.bfloat16() if isinstance(v, torch.Tensor) and v.is_floating_point() else v for v in inputs
            ]
            coarse = reference.call(reference.module(torch.bfloat16), half)
            yield "computed in bfloat16", coarse.to(value.dtype)
        if reference.has_state and self._tally.open("old parameters") and not expected.exact_sums:
            yield "old parameters", reference.call(reference.module(reference.dtype, "changed"), inputs)

    def result(self) -> Power:
        self._previous = None
        slipped = [one_line(name, 120) for name in self._tally.slipped]
        return Power(caught=self._tally.total - len(slipped), total=self._tally.total, slipped=slipped[:20])


def too_weak(power: Power) -> bool:
    """Whether a pass of such a check says too little."""
    return power.total > 0 and power.caught < _TOO_LITTLE * power.total
