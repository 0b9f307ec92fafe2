"""Whole numbers and truth values that rounding decides: which of them are as right as the reference's.

In: a call of the reference in float64, and its own result. Out: for each tensor of whole numbers the lowest and the
highest that rounding makes of each element. If a value is divided by its scale and rounded to 8 bits, a program that
multiplies by the inverse may find the neighbour of a number that lies half-way between two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from kernelgate.check.device_asserts import asserts_raise
from kernelgate.check.problem import refusal_ends_it
from kernelgate.check.tolerance.numerics import as_real
from kernelgate.check.tolerance.rounding import Operators, Rounding

_SEED = 0x7370
_SAMPLES = 12
_TIMES = 4.0
"""How much further a value is moved than rounding does: of few samples few lie at the ends."""


@dataclass(frozen=True)
class Span:
    """`low` and `high` of each element, both included; int64."""

    low: torch.Tensor
    high: torch.Tensor

    def holds(self, tensor: torch.Tensor) -> bool:
        """Whether all elements of a tensor of that shape lie within."""
        return bool(((self.low <= tensor) & (tensor <= self.high)).all())

    def with_value(self, tensor: torch.Tensor) -> Span:
        whole = tensor.long()
        return Span(torch.minimum(self.low, whole), torch.maximum(self.high, whole))


def whole_spans(
    call: Callable[[], Sequence[torch.Tensor]], values: Sequence[torch.Tensor], dtype: torch.dtype
) -> list[Span | None]:
    """For each of the reference's own tensors; None for one of other numbers, and where rounding cannot be followed.

    `call`: computes them anew each time, in float64 if it can. `dtype`: of the run; what computes in a narrower one
    than float32 without need is not allowed its rounding.
    """
    values = [as_real(value) for value in values]  # numbers of 8 bits in their order
    whole = [number for number, value in enumerate(values) if not value.is_floating_point()]
    found: list[Span | None] = [None] * len(values)
    if not whole:
        return found
    least = dtype if dtype == torch.float64 else torch.float32
    for unit in dict.fromkeys((least, dtype)):
        spans = _moved(call, [values[number] for number in whole], unit)
        if spans is None:
            return found
        for number, span in zip(whole, spans, strict=True):
            found[number] = span.with_value(values[number])
        if all(span.holds(values[number]) for number, span in zip(whole, spans, strict=True)):
            break
    return found


def _moved(
    call: Callable[[], Sequence[torch.Tensor]], values: Sequence[torch.Tensor], dtype: torch.dtype
) -> list[Span] | None:
    """What rounding in `dtype` makes of these tensors of whole numbers."""
    device, operators = values[0].device, Operators()
    spans: list[Span] = []
    with refusal_ends_it():  # whatever a person's module raises on other numbers says nothing about the candidate
        # The first sample does not know yet whether some are rounded to whole numbers.
        for sample in range(-1, _SAMPLES):
            with asserts_raise(device), Rounding(dtype, _SEED + sample, device, operators, times=_TIMES):
                moved = [one for one in map(as_real, call()) if not one.is_floating_point()]
            if [one.shape for one in moved] != [one.shape for one in values]:
                return None
            if sample <= 0:
                spans = [Span(one.long(), one.long()) for one in moved]
            else:
                spans = [span.with_value(one) for span, one in zip(spans, moved, strict=True)]
        return spans
    return None
