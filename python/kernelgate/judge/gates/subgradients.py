"""How far a right gradient may lie from autograd's: by rounding in the steps of another formula, and at a kink. If
an activation bends, rounding decides on which side an element lies, and the gradient of either side is right. A product
whose sums are taken in another order may land on the other side."""

from __future__ import annotations

from collections.abc import Sequence
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


def subgradient_tolerance(
    reference: Reference,
    inputs: Sequence[Any],
    upstream: torch.Tensor,
    value: torch.Tensor,
    wide: Sequence[torch.Tensor | None],
    find: Differentiating = gradients,
    widest: torch.dtype = torch.float64,
) -> list[torch.Tensor | None]:
    """How far each gradient moves, element by element, when the floating inputs are moved by about a rounding error.

    `value`: the reference's result for these inputs in the run's dtype; `upstream`: the gradient of it; `wide`: the
    gradients in float64 as `find` gives them, and in their order; `widest`: what stands for float64, where the
    reference does not run in it. Returns float64 tensors of their shapes, on their device. A gradient without a kink
    moves as little as the inputs do.
    """
    oracle = reference.wide_value(inputs) if widest == torch.float64 else value.double()
    error = float((value.double() - oracle).abs().max()) / (float(oracle.abs().max()) or 1.0)
    nudge = _ROUNDINGS * max(error, torch.finfo(value.dtype).eps)
    generator = torch.Generator(device=value.device).manual_seed(0)
    moved = [None if right is None else torch.zeros_like(right) for right in wide]
    for _ in range(_PAIRS):
        noise = [
            torch.randn(v.shape, generator=generator, device=v.device, dtype=torch.float64)
            if is_floating(v)
            else None
            for v in inputs
        ]
        for sign in (nudge, -nudge):
            near = [
                v if part is None else (v.double() * (1 + sign * part)).to(widest)
                for v, part in zip(inputs, noise, strict=True)
            ]
            found: list[torch.Tensor | None] = []
            with refusal_ends_it():  # a probability of 1, moved, is none
                found = reference.gradients(near, upstream, widest, find)
            for most, there, here in zip(moved, found, wide, strict=bool(found)):
                if most is not None and there is not None and here is not None:
                    torch.maximum(most, (there - here).abs(), out=most)
    return moved


def rounding_tolerance(
    reference: Reference,
    inputs: Sequence[Any],
    upstream: torch.Tensor,
    dtype: torch.dtype,
    wide: Sequence[torch.Tensor | None],
    find: Differentiating = gradients,
    widest: torch.dtype = torch.float64,
) -> list[torch.Tensor | None]:
    """How far rounding in `dtype`, in each step forward and backward, may move each gradient, element by element.

    Arguments and result as of `subgradient_tolerance`; zeros if the reference's steps cannot be followed.
    """
    there = [number for number, right in enumerate(wide) if right is not None]
    oracle = [right for right in wide if right is not None]

    def again() -> list[torch.Tensor]:
        found = reference.gradients(inputs, upstream, widest, find)
        return [
            right if (one := found[number]) is None else one.double()
            for number, right in zip(there, oracle, strict=True)
        ]

    found: list[torch.Tensor | None] = [None if right is None else torch.zeros_like(right) for right in wide]
    spread: Sequence[torch.Tensor] = ()
    # Of a GPU's tensors the backward pass would run in another thread, if no operator is followed.
    with refusal_ends_it(), torch.autograd.set_multithreading_enabled(False):
        spread, operators = rounding_spread(again, oracle, dtype, _SEED, _SPREAD_SAMPLES)
    if len(spread) < len(oracle):
        return found
    in_tf32 = dtype == torch.float32 and may_use_tf32(upstream.device, convolves=operators.convolves)
    for number, units, right in zip(there, spread, oracle, strict=True):
        largest = float(right.abs().nan_to_num(0.0, 0.0, 0.0).max()) if in_tf32 and right.numel() else 0.0
        found[number] = units * (_OF_SPREAD * torch.finfo(dtype).eps / 2) + _OF_TF32 * largest
    return found
