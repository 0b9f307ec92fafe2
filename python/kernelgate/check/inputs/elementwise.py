"""Whether a reference works element by element: each element of its result follows from the one at its place.

In: a way to call the reference, and an input of it. Out: yes or no. It is asked of the reference, never of a candidate.
Not here: reading it off a program's text (`program.scaffold`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from kernelgate.check.problem import refusal_ends_it
from kernelgate.check.tolerance.numerics import same_bits

_SLACK = 16.0  # roundings: vectorised code and the code for what is left over may compute a function differently


def is_elementwise(
    call: Callable[[Sequence[Any]], Sequence[torch.Tensor]], like: torch.Tensor, generator: torch.Generator
) -> bool:
    """`call`: the tensors of the reference's result; it may raise what PyTorch raises. `like`: an input, of whose shape
    and dtype numbers are drawn on the generator's device.

    An element stays the same whatever becomes of the others, and it moves with its input.
    """
    if like.numel() < 2:
        return False
    x = _drawn(like, generator)
    with refusal_ends_it(of_cpu=False):
        results = call([x])
        if len(results) != 1 or results[0].shape != x.shape or results[0].dtype != x.dtype:
            return False
        stays = torch.rand(like.shape, generator=generator, device=like.device) < 0.5
        others_changed = call([torch.where(stays, x, _drawn(like, generator))])[0]
        order = torch.randperm(like.numel(), generator=generator, device=like.device)
        moved = call([x.reshape(-1)[order].view(like.shape)])[0]
        y = results[0]
        if not same_bits(y[stays], others_changed[stays]):
            return False
        slack = _SLACK * torch.finfo(y.dtype).eps
        one, other = moved.reshape(-1).double(), y.reshape(-1)[order].double()
        return bool(torch.isclose(one, other, rtol=slack, atol=0.0, equal_nan=True).all())
    return False


def _drawn(like: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    values = torch.randn(like.shape, generator=generator, device=like.device)
    return (values * values.abs().exp()).to(like.dtype)
