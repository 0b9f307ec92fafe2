"""How far a right gradient may lie from autograd's: by rounding in the steps of another formula, and at a kink. If
an activation bends, rounding decides on which side an element lies, and the gradient of either side is right. A product
whose sums are taken in another order may land on the other side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from kernelgate.check.autograd import Differentiating, gradients
from kernelgate.check.nesting import is_floating
from kernelgate.check.problem import refusal_ends_it
from kernelgate.check.tolerance.arithmetic import may_use_tf32
from kernelgate.check.tolerance.rounding import rounding_spread
from kernelgate.judge.reference.reference import Reference

# The inputs are moved by this many of the reference's own rounding errors, back and forth, so many times: whatever
# lies that near to a kink is then on either side at least once.
_ROUNDINGS = 2.0
_PAIRS = 6
# A few samples show less than the whole spread, so an honest formula may differ by several times as much.
_SPREAD_SAMPLES = 16
_OF_SPREAD = 16.0
# Where PyTorch may compute in TF32, a gradient may be off by this much of the largest one: eight roundings of TF32.
_OF_TF32 = 8.0 * 2.0**-11
_SEED = 0x6B67


@dataclass(frozen=True)
class Differentiation:
    """`upstream`: the gradient of the reference's result; `wide`: the gradients in float64 as `find` gives them, and in
    their order; `widest`: what stands for float64, if the reference does not run in it."""

    reference: Reference
    inputs: Sequence[Any]
    upstream: torch.Tensor
    wide: Sequence[torch.Tensor | None]
    find: Differentiating = gradients
    widest: torch.dtype = torch.float64

    def again(self, inputs: Sequence[Any]) -> list[torch.Tensor | None]:
        return self.reference.gradients(inputs, self.upstream, self.widest, self.find)

    @property
    def zeros(self) -> list[torch.Tensor | None]:
        return [None if right is None else torch.zeros_like(right) for right in self.wide]


def subgradient_tolerance(of: Differentiation, value: torch.Tensor) -> list[torch.Tensor | None]:
    """How far each gradient moves, element by element, when the floating inputs are moved by about a rounding error.

    `value`: the reference's result for these inputs in the run's dtype. Returns float64 tensors of the gradients'
    shapes, on their device. A gradient without a kink moves as little as the inputs do.
    """
    oracle = of.reference.wide_value(of.inputs) if of.widest == torch.float64 else value.double()
    error = float((value.double() - oracle).abs().max()) / (float(oracle.abs().max()) or 1.0)
    nudge = _ROUNDINGS * max(error, torch.finfo(value.dtype).eps)
    generator = torch.Generator(device=value.device).manual_seed(0)
    moved = of.zeros

    def noise(one: Any) -> torch.Tensor | None:
        if not is_floating(one):
            return None
        return torch.randn(one.shape, generator=generator, device=one.device, dtype=torch.float64)

    for _ in range(_PAIRS):
        parts = [noise(one) for one in of.inputs]
        for sign in (nudge, -nudge):
            near = [
                v if part is None else (v.double() * (1 + sign * part)).to(of.widest)
                for v, part in zip(of.inputs, parts, strict=True)
            ]
            found: list[torch.Tensor | None] = []
            with refusal_ends_it():  # a probability of 1, moved, is none
                found = of.again(near)
            for most, there, here in zip(moved, found, of.wide, strict=bool(found)):
                if most is not None and there is not None and here is not None:
                    torch.maximum(most, (there - here).abs(), out=most)
    return moved


def rounding_tolerance(of: Differentiation, dtype: torch.dtype) -> list[torch.Tensor | None]:
    """How far rounding in `dtype`, in each step forward and backward, may move each gradient, element by element; zeros
    if the reference's steps cannot be followed."""
    oracle = {number: right for number, right in enumerate(of.wide) if right is not None}

    def again() -> list[torch.Tensor]:
        found = of.again(of.inputs)
        return [right if (one := found[number]) is None else one.double() for number, right in oracle.items()]

    tolerance, spread = of.zeros, list[torch.Tensor]()
    # Of a GPU's tensors the backward pass would run in another thread, if no operator is followed.
    with refusal_ends_it(), torch.autograd.set_multithreading_enabled(False):
        spread, operators = rounding_spread(again, list(oracle.values()), dtype, _SEED, _SPREAD_SAMPLES)
    if not spread:
        return tolerance
    in_tf32 = dtype == torch.float32 and may_use_tf32(of.upstream.device, convolves=operators.convolves)
    for (number, right), units in zip(oracle.items(), spread, strict=True):
        largest = float(right.abs().nan_to_num(0.0, 0.0, 0.0).max()) if in_tf32 and right.numel() else 0.0
        tolerance[number] = units * (_OF_SPREAD * torch.finfo(dtype).eps / 2) + _OF_TF32 * largest
    return tolerance
