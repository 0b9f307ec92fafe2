"""The least time a problem can take: every byte moved once, every operation done once, at the device's peak rates.

In: the tensors of a problem and its operations. Out: a `Work`, and from it and the peak rates the lower bound, with the
name of the peak that sets it. Bytes: inputs, parameters and results, read or written once. Operations: as PyTorch's own
counter counts them: matrix products, convolutions and attention, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch

from kernelgate.timing.peak_rates import PeakRates

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


def lower_bound_of(work: Work, peak_rates: PeakRates, dtype: torch.dtype) -> tuple[float, str]:
    """Seconds, and the name of the peak that sets them."""
    moving = work.bytes / peak_rates.copy
    rate, name = matrix_peak(peak_rates, dtype)
    computing = work.flops / rate if work.flops and rate else 0.0
    return (computing, name) if computing > moving else (moving, "device copy")


def matrix_peak(peak_rates: PeakRates, dtype: torch.dtype) -> tuple[float, str]:
    """The fastest way to reach the accuracy of the dtype, in operations of the problem a second."""
    if dtype == torch.float16:
        return peak_rates.fp16, "FP16"
    if dtype == torch.bfloat16:
        return peak_rates.bf16, "BF16"
    if dtype == torch.float32 and peak_rates.fp16 / SPLIT_PRODUCTS > peak_rates.fp32:
        return peak_rates.fp16 / SPLIT_PRODUCTS, "FP16, three products"
    return peak_rates.fp32, "fp32"
