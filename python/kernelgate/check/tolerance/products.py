"""Whether the errors of a result are those of products in a coarser arithmetic.

The size of an error says little: a wrong term may be as small. But an arithmetic rounds the factors of a product, and
the same factors in every program. In: a call of the reference, and the errors of a result. Out: the arithmetic in
which the reference makes much of the same errors, if there is one.
Not here: how large an error is (`check.tolerance.arithmetic`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from kernelgate.check.operator_mode import OperatorMode, is_rounded, resolved
from kernelgate.check.tolerance.arithmetic import (
    Arithmetic,
    rounded_to_bf16,
    rounded_to_tf32,
    truncated_to_tf32,
)
from kernelgate.check.tolerance.operator_kinds import ATTENTION, CONVOLUTIONS, PRODUCTS

Change = Callable[[torch.Tensor], torch.Tensor]
_BEYOND_DOUBT = 0.9


def _unchanged(values: torch.Tensor) -> torch.Tensor:
    return values


@dataclass(frozen=True)
class Rounded:
    """What an arithmetic rounds: the factors of products, and their results, too, if these are as narrow. `least`:
    how far errors have to be related to its own to be taken for them; 1: they are the same."""

    factors: Change
    results: Change = _unchanged
    least: float = 0.6


_KNOWN: tuple[tuple[Arithmetic, Rounded], ...] = (
    ("TF32 or FP16", Rounded(rounded_to_tf32)),
    # Numbers that are cut off make all factors smaller, and so may a wrong constant.
    ("TF32 or FP16", Rounded(truncated_to_tf32, least=_BEYOND_DOUBT)),
    ("BF16", Rounded(rounded_to_bf16)),
    ("TF32 or FP16", Rounded(rounded_to_tf32, rounded_to_tf32)),
    ("BF16", Rounded(rounded_to_bf16, rounded_to_bf16)),
)
_BY_CHANCE = 5.0  # deviations
_FEW = 16
_TIMES_USUAL = 3.0
_SAMPLE = 1 << 20


class RoundedFactors(OperatorMode):
    """Every product is rounded so."""

    def __init__(self, rounded: Rounded) -> None:
        super().__init__()
        self._rounded = rounded

    def call(self, func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        name = name.removesuffix("_")
        tensors = [n for n, value in enumerate(args) if isinstance(value, torch.Tensor)]
        factors = tensors[-2:] if name in PRODUCTS else tensors[:2] if name in CONVOLUTIONS else []
        factors = tensors[:3] if ATTENTION in name else factors
        given = resolved(func, args) if factors else list(args)
        for number in factors:
            if is_rounded(given[number]):
                given[number] = self._rounded.factors(given[number])
        result = func(*given, **kwargs)
        if factors and is_rounded(result):
            return self._rounded.results(result)
        return result


def arithmetic_of(
    got: torch.Tensor, oracle: torch.Tensor, scale: torch.Tensor, call: Callable[[Rounded], torch.Tensor]
) -> Arithmetic | None:
    """got, oracle, scale: the wrong elements of a result, shape (n,); `call`: gives the same elements of the
    reference's result in float64, its products rounded so, or raises what PyTorch raises."""
    finite = got.isfinite() & oracle.isfinite() & scale.isfinite() & (scale > 0)
    step = 1 + int(finite.sum()) // _SAMPLE
    oracle, scale = oracle[finite][::step], scale[finite][::step]
    if oracle.numel() < _FEW:
        return None
    off = _without_factor(got[finite][::step].double() - oracle, oracle) / scale
    most, found = _BY_CHANCE / math.sqrt(off.numel()), None
    for name, rounded in _KNOWN:
        there = _without_factor(call(rounded)[finite][::step] - oracle, oracle) / scale
        related = _related(off, there)
        if related >= max(most, rounded.least):
            most, found = related, name
        if most >= _BEYOND_DOUBT and found is not None:
            break
    return found


def _without_factor(off: torch.Tensor, oracle: torch.Tensor) -> torch.Tensor:
    """What is cut off makes all elements a little smaller, and so does many a mistake."""
    size = float(oracle @ oracle)
    return off - float(off @ oracle) / size * oracle if size else off


def _related(one: torch.Tensor, other: torch.Tensor) -> float:
    """The cosine between two lists of errors, of which a few large ones do not decide; 0 if one has none."""
    one, other = (_bounded(errors) for errors in (one, other))
    size = float(one.norm() * other.norm())
    return float(one @ other) / size if size and math.isfinite(size) else 0.0


def _bounded(errors: torch.Tensor) -> torch.Tensor:
    most = _TIMES_USUAL * float(errors.abs().median()) if errors.numel() else 0.0
    return errors.clamp(-most, most) if most else errors
