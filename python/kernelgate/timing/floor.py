"""The least time a problem can take: every byte moved once, every operation done once, at the device's roofs.

In: the tensors of a problem and its operations. Out: a `Work`, and from it and the roofs a floor, with the name of
the roof that sets it. Bytes: inputs, parameters and results, read or written once. Operations: as PyTorch's own
counter counts them: matrix products, convolutions and attention, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch

from kernelgate.timing.roofs import Roofs

SPLIT_PRODUCTS = 3
"""So many fp16 products, of the halves of the factors, give an fp32 product at fp32's accuracy."""


@dataclass(frozen=True)
class Work:
    """The work of one phase of a problem."""

    bytes: int
    flops: int


def nbytes(values: Iterable[Any]) -> int:
    """Bytes of the distinct elements of tensors; an expanded dimension counts once."""
    total = 0
    for value in values:
        if isinstance(value, torch.Tensor):
            distinct = 1
            for size, stride in zip(value.shape, value.stride(), strict=True):
                distinct *= size if stride else min(size, 1)
            total += distinct * value.element_size()
    return total


def counted_flops(call: Callable[[], Any]) -> int:
    """Operations of a call, by torch.utils.flop_counter."""
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counter:
        call()
    return int(counter.get_total_flops())


def floor_of(work: Work, roofs: Roofs, dtype: torch.dtype) -> tuple[float, str]:
    """Seconds, and the name of the roof that sets them."""
    moving = work.bytes / roofs.copy
    rate, name = matrix_roof(roofs, dtype)
    computing = work.flops / rate if work.flops and rate else 0.0
    return (computing, name) if computing > moving else (moving, "device copy")


def matrix_roof(roofs: Roofs, dtype: torch.dtype) -> tuple[float, str]:
    """The fastest way to reach the accuracy of the dtype, in operations of the problem a second."""
    if dtype == torch.float16:
        return roofs.fp16, "FP16"
    if dtype == torch.bfloat16:
        return roofs.bf16, "BF16"
    if dtype == torch.float32 and roofs.fp16 / SPLIT_PRODUCTS > roofs.fp32:
        return roofs.fp16 / SPLIT_PRODUCTS, "FP16, three products"
    return roofs.fp32, "fp32"
