"""Mutants: the results of programs with one well-known mistake each, shown to a run's own comparison, case by case.

In: the reference's results. Out: how many mutants the check catches. One that misses many says little about a candidate
that passes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch

from kernelgate.check.construction import in_dtype
from kernelgate.check.nesting import flatten, is_floating, mapped
from kernelgate.check.problem import refusal_ends_it
from kernelgate.check.tolerance.choices import wrong_indices
from kernelgate.check.tolerance.numerics import any_wrong, as_real, same_bits
from kernelgate.check.widening import deep_copy
from kernelgate.judge.comparison.compare import Comparer
from kernelgate.judge.endings.device_memory import within_memory
from kernelgate.judge.reference.affordable import LONG, SLOW
from kernelgate.judge.reference.copies import perturbed
from kernelgate.judge.reference.expected import Expected
from kernelgate.judge.reference.reference import Reference
from kernelgate.report import Power, one_line

_TILE = 256  # elements: what one block of threads of a usual size writes


def mutants(
    inputs: Sequence[Any], right: torch.Tensor, previous: torch.Tensor | None
) -> Iterator[tuple[str, Callable[[], torch.Tensor]]]:
    """Names, and what makes the wrong results, of the shape, dtype and device of `right`, which are large."""
    flat = right.numel()
    tensors = [v for v in inputs if isinstance(v, torch.Tensor)]
    if not flat:
        return
    if tensors and tensors[0].shape == right.shape and tensors[0].dtype == right.dtype:
        yield "the input itself", lambda: tensors[0]
    yield "zeros", lambda: torch.zeros_like(right)
    if previous is not None and previous.shape == right.shape:
        yield "the previous result", lambda: previous
    yield "one element wrong", lambda: _spoilt(right, flat // 2, 1)
    if flat > _TILE:
        yield "one tile missing", lambda: _spoilt(right, flat // 2, min(_TILE, flat - flat // 2))
    if right.dim() >= 2:
        row = flat // right.shape[0]
        yield "the last row missing", lambda: _spoilt(right, flat - row, row)
    if right.is_floating_point():
        yield "the sign flipped", lambda: -right if is_floating(right) else -right.float()
    if right.dim() == 2 and right.shape[0] == right.shape[1]:
        yield "transposed", lambda: right.t().contiguous()


def _spoilt(right: torch.Tensor, start: int, count: int) -> torch.Tensor:
    """A copy in which some elements in row-major order are 1.5 times their value, and 1 where that changes nothing."""
    wrong = right.contiguous().clone()
    place = wrong.view(-1)[start : start + count]
    part = place.float() if place.is_floating_point() and not is_floating(place) else place
    exact = not part.is_floating_point() and not part.is_complex()
    more = part + 1 if exact else part * 1.5
    place.copy_(torch.where((more != part) & ~more.isnan(), more, torch.ones_like(part)))
    return wrong


_TOO_LITTLE = 0.8
# Times the limit. More samples of rounding, each a call of the reference in float64, hardly ever widen it by as much.
_BEYOND_DOUBT = 16.0


class MutationScore:
    """`constant`: whether the reference's result was the same for all inputs so far; None before there were two.
    `cases`: how many mutants were shown to."""

    def __init__(self, reference: Reference, comparer: Comparer) -> None:
        self._reference = reference
        self._comparer = comparer
        self._beyond_doubt = _BEYOND_DOUBT if reference.pace.doubts_mutants else 0.0
        self._caught: dict[str, bool] = {}  # by the mistakes that exist for the problem
        self._previous: torch.Tensor | None = None
        self.constant: bool | None = None
        self.cases = 0
        self._all_bits = True

    def show(self, inputs: Sequence[Any], expected: Expected, outputs: Sequence[torch.Tensor]) -> None:
        """One case that a candidate has just passed with `outputs`. Mutants that need too much memory
        are left out."""
        self.cases += 1
        own_bits = all(map(same_bits, outputs, expected.values))
        self._all_bits = self._all_bits and own_bits
        if own_bits and self._reference.pace.level >= LONG:
            return
        with within_memory():
            self._show(inputs, expected)

    def _show(self, inputs: Sequence[Any], expected: Expected) -> None:
        for name, wrong in self._mistakes(inputs, expected):
            if wrong.shape != expected.value.shape:
                continue
            wrong = wrong.to(expected.value.dtype)
            differs = self._differs(wrong, expected)
            caught = differs and self._comparer.is_wrong(wrong, expected, beyond_doubt=self._beyond_doubt)
            if differs:  # what changes nothing in this case does not count, such as ReLU's if nothing is negative
                self._caught[name] = self._caught.get(name, False) or caught
        previous, self._previous = self._previous, expected.value
        if self.constant is not False and previous is not None and previous.shape == expected.value.shape:
            self.constant = not any_wrong(previous, expected.value)

    def _differs(self, wrong: torch.Tensor, expected: Expected) -> bool:
        """Whether a mutant is wrong at all: one that points at an equal value is not."""
        value = expected.value
        if 0 in expected.indices:
            source = replace(expected.indices[0], units=0.0)
            return bool(wrong_indices(wrong, value, source).any())
        # Where a result may be rounded, -0 instead of 0 is no mistake.
        return any_wrong(*(as_real(one) + 0 if self._reference.graded else one for one in (wrong, value)))

    def _mistakes(self, inputs: Sequence[Any], expected: Expected) -> Iterator[tuple[str, torch.Tensor]]:
        reference, value = self._reference, expected.value
        for name, make in mutants(inputs, value, self._previous):
            if not self._caught.get(name):
                yield name, make()
        if not self._caught.get("a constant wrong by 10 %"):
            other = perturbed(reference.module(reference.dtype), 1.1)
            if other is not None:
                yield from self._called("a constant wrong by 10 %", other, inputs)
        if value.dtype in (torch.float32, torch.float64) and not self._caught.get("computed in bfloat16"):
            half = [mapped(v, lambda t: t.bfloat16() if is_floating(t) else t) for v in inputs]
            if reference.pace.level >= SLOW:  # as tensor cores do: a CPU takes minutes for products in bfloat16
                half = [mapped(v, lambda t: t.to(value.dtype) if is_floating(t) else t) for v in half]
                module = deep_copy(reference.module(reference.dtype))
                module = in_dtype(in_dtype(module, torch.bfloat16), reference.dtype)
            else:
                module = reference.module(torch.bfloat16)
            yield from self._called("computed in bfloat16", module, half)
        if reference.has_state and not self._caught.get("old parameters") and expected.has_own_parameters:
            yield from self._called("old parameters", reference.module(reference.dtype, "changed"), inputs)

    def _called(
        self, name: str, module: torch.nn.Module, inputs: Sequence[Any]
    ) -> Iterator[tuple[str, torch.Tensor]]:
        """What a changed module of the reference gives. Nothing, if the reference cannot be changed so: PyTorch has
        no such operator for bfloat16 on a CPU, for one."""
        tensors: list[torch.Tensor] = []
        with refusal_ends_it():
            tensors = flatten(self._reference.call(module, inputs))[1]
        if tensors:
            yield name, tensors[0]

    @property
    def weak(self) -> bool:
        """Whether a pass of the cases so far would say too little."""
        return too_weak(Power(caught=sum(self._caught.values()), total=len(self._caught)))

    def result(self) -> Power | None:
        """None if mutants slip and nothing rests on that: each result has the bits of PyTorch's own."""
        self._previous = None
        if self.weak and self.cases and self._all_bits:
            return None
        slipped = [one_line(name, 120) for name, caught in self._caught.items() if not caught]
        return Power(caught=sum(self._caught.values()), total=len(self._caught), slipped=slipped[:20])


def too_weak(power: Power) -> bool:
    """Whether a pass of such a check says too little."""
    return power.total > 0 and power.caught < _TOO_LITTLE * power.total
