"""Every number of a floating format, by the patterns of its bits.

In: a tensor to fill. Out: the tensor, filled. Judge and worker both use it, so that inputs of every value need not
travel from one to the other. Not here: what is computed from them (`judge.cases.every_value`).
"""

from __future__ import annotations

import torch

_BITS = {2: torch.int16, 4: torch.int32}


def count_of(dtype: torch.dtype) -> int | None:
    """How many numbers a floating format has, infinities and every NaN included; None if these are too many."""
    return 1 << 8 * dtype.itemsize if dtype.itemsize in _BITS else None


def fill(place: torch.Tensor, first: int) -> torch.Tensor:
    """Writes the numbers whose bits are `first`, `first` + 1, and so on, and after the last pattern 0 again; returns
    the tensor. place: dense, a format of 16 or 32 bits, fewer than 2**31 elements."""
    modulus = 1 << 8 * place.element_size()
    first %= modulus
    start = first - modulus if first >= modulus // 2 else first
    bits = place.view(-1).view(_BITS[place.element_size()])
    if place.element_size() == 4:
        torch.arange(bits.numel(), dtype=torch.int32, device=place.device, out=bits)
        bits.add_(start)  # wraps
    else:
        bits.copy_(torch.arange(bits.numel(), dtype=torch.int32, device=place.device).add_(start))
    return place


def halves(shape: tuple[int, ...], generator: torch.Generator) -> torch.Tensor:
    """Multiples of 1/16 from -8 to 8, and at half of the places numbers half-way between two of float8, of bfloat16 or
    of half, which have 2, 3, 7 and 10 bits behind the point; float32."""

    def drawn(low: int, high: int) -> torch.Tensor:
        return torch.randint(low, high, shape, generator=generator, device=generator.device)

    bits = torch.tensor([2, 3, 7, 10], device=generator.device)[drawn(0, 4)]
    half = ((1 << bits) + drawn(0, 1 << 10) % (1 << bits) + 0.5) * torch.exp2(drawn(-3, 3) - bits.float())
    return torch.where(drawn(0, 2) == 0, drawn(-128, 129) / 16, half * (2 * drawn(0, 2) - 1))
