"""The grade of a graded result: which arithmetic its error means.

A matrix product in fp32, in split products, in TF32 or FP16 and in BF16 differ by decades, but where the decades lie
depends on the problem: rounding the inputs of a sum of K products leaves about 1/sqrt(K) of the rounding, while adding
them up in fp32 does not. So nothing is tabulated: the reference itself, with its inputs and parameters rounded to
each format, shows what each arithmetic makes of these inputs, and the bounds lie between.

PyTorch itself may compute float32 products in TF32: by default convolutions, and not products of matrices. Which of its
algorithms does, cuDNN decides for each size and for the memory that is free at the time:
https://docs.pytorch.org/docs/stable/notes/cuda.html#tf32-on-ampere
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import torch

Arithmetic = Literal["fp32", "split", "TF32 or FP16", "BF16"]
ORDER: tuple[Arithmetic, ...] = ("fp32", "split", "TF32 or FP16", "BF16")
ALLOWED: dict[str, Arithmetic] = {"tf32": "TF32 or FP16", "fp16": "TF32 or FP16", "bf16": "BF16"}
"""What --allow-arithmetic takes (`messages.job` checks it), and what it lets pass."""

# A candidate may add in any order: an error within this factor of the reference's counts as the same arithmetic.
_ORDER_FACTOR = 4.0
LEAST_UNITS = 8.0
# Without products: another formula for the same function, and the faster functions of CUDA, round a few times more.
# Rounded to a narrower dtype, nothing is left of that.
_LEAST_UNITS_OF_FORMULAS = 32.0


@dataclass(frozen=True)
class Coarser:
    """Errors as in `Bounds`. `tf32_worst`: with the inputs cut off instead of rounded, as tensor cores read float32."""

    bf16: float
    tf32_worst: float


@dataclass(frozen=True)
class Bounds:
    """Errors, in the units of `check.tolerance.numerics`, that the reference makes on one input in each arithmetic.

    `coarser`: computes those that are seldom asked for; None without products. `products`: whether it
    has products of matrices at all; without them there is one arithmetic, its own. `narrow`: its dtype is narrower than
    float32, in which PyTorch and careful programs compute. `in_tf32`: PyTorch itself may compute the products in TF32
    (`check.tolerance.arithmetic`), whether or not it has done so for `own`.
    """

    own: float
    tf32: float
    coarser: Callable[[], Coarser] | None = None
    products: bool = True
    narrow: bool = False
    in_tf32: bool = False

    @property
    def fp32_limit(self) -> float:
        least = LEAST_UNITS if self.products or self.narrow else _LEAST_UNITS_OF_FORMULAS
        return max(least, _ORDER_FACTOR * self._fp32)

    @property
    def _fp32(self) -> float:
        """What fp32 makes, as far as it is known: PyTorch's own error, if that may not be one of TF32."""
        return self.own if not self.in_tf32 or self.own**2 < self.tf32 else 1.0

    def passing(self, allowed: Arithmetic) -> Arithmetic:
        """The coarsest arithmetic that passes: PyTorch's own counts as right."""
        return max(allowed, "TF32 or FP16", key=ORDER.index) if self.in_tf32 else allowed

    def limit(self, arithmetic: Arithmetic) -> float:
        """The largest error that still counts as this arithmetic."""
        if arithmetic == "fp32" or (arithmetic == "split" and not self.products):
            return self.fp32_limit
        if arithmetic == "split":
            return max(self.fp32_limit, math.sqrt(max(self._fp32, 1.0) * self.tf32))
        bf16, worst = self._coarser.bf16, self._coarser.tf32_worst
        if arithmetic == "TF32 or FP16":
            between = math.sqrt(max(self.tf32, worst) * bf16)
            own = _ORDER_FACTOR * self.own if self.in_tf32 else 0.0
            return max(self.limit("split"), between, min(1.2 * worst, bf16), own)
        return max(self.limit("TF32 or FP16"), _ORDER_FACTOR * bf16)

    @functools.cached_property
    def _coarser(self) -> Coarser:
        return self.coarser() if self.coarser is not None else Coarser(self.own, self.own)

    def grade(self, units: float) -> Arithmetic | None:
        """The finest arithmetic that an error fits; None for a wrong value, whose error is above all of them."""
        return next((name for name in ORDER if units <= self.limit(name)), None)


def _of_each_part(rounded: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[torch.Tensor], torch.Tensor]:
    """The same for complex values, whose parts are rounded apart."""

    @functools.wraps(rounded)
    def of_each_part(values: torch.Tensor) -> torch.Tensor:
        if not values.is_complex():
            return rounded(values)
        return torch.view_as_complex(rounded(torch.view_as_real(values.resolve_conj())).contiguous())

    return of_each_part


@_of_each_part
def rounded_to_tf32(values: torch.Tensor) -> torch.Tensor:
    """float32 or float64 values with 10 explicit bits of significand, rounded to nearest; same shape, dtype, device."""
    return _rounded(values.float(), 13).to(values.dtype)


@_of_each_part
def truncated_to_tf32(values: torch.Tensor) -> torch.Tensor:
    """The same, cut off instead of rounded."""
    narrow = values.float().contiguous()
    kept = (narrow.view(torch.int32) & ~((1 << 13) - 1)).view(torch.float32)
    return torch.where(narrow.isfinite(), kept, narrow).to(values.dtype)


@_of_each_part
def rounded_to_bf16(values: torch.Tensor) -> torch.Tensor:
    """The values rounded to bfloat16; same shape, dtype, device."""
    return values.to(torch.bfloat16).to(values.dtype)


def _rounded(values: torch.Tensor, bits: int) -> torch.Tensor:
    """float32 values without the last bits of their significand, ties away from zero, as cvt.rna.tf32 rounds."""
    whole = values.contiguous().view(torch.int32)
    kept = (whole + (1 << (bits - 1))) & ~((1 << bits) - 1)
    return torch.where(values.isfinite(), kept.view(torch.float32), values)


_FIRST_WITH_TF32 = (8, 0)


def may_use_tf32(device: torch.device, *, convolves: bool) -> bool:
    """`convolves`: there are convolutions among the products."""
    if device.type != "cuda" or torch.cuda.get_device_capability(device) < _FIRST_WITH_TF32:
        return False
    cuda, cudnn = torch.backends.cuda, torch.backends.cudnn
    kinds = [(cuda.matmul, cuda.matmul), *([(cudnn, cudnn.conv)] if convolves and cudnn.enabled else [])]
    return any(_allowed(*kind) for kind in kinds)


def _allowed(kind: Any, newer: Any) -> bool:
    try:
        return bool(kind.allow_tf32)
    except RuntimeError:  # since 2.9, where the other way of setting it has been used
        return bool(newer.fp32_precision == "tf32")
