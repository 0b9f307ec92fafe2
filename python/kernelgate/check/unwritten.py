"""Results that a reference leaves unwritten: memory of torch.empty() that no operator has filled.

In: calls. Out: a mode in which such memory holds NaN, or the largest whole number, from the start. A result that is
another one then is not determined by the inputs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import torch

from kernelgate.check.operator_mode import OperatorMode

_MAKES_EMPTY = frozenset({"empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided"})
_WORDS = re.compile(r"\bempty|\bnew_empty")


def may_leave_unwritten(text: str) -> bool:
    """Whether a reference program makes memory that it has to fill itself."""
    return _WORDS.search(text) is not None


class FilledEmpty(OperatorMode):
    """Memory that is made without values has these that no reference computes."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = func(*args, **(kwargs or {}))
        if func._schema.name.removeprefix("aten::") not in _MAKES_EMPTY or made.layout != torch.strided:
            return made
        return made.fill_(_fill_of(made))


def left_unwritten(values: Sequence[torch.Tensor], filled: Sequence[torch.Tensor]) -> bool:
    """Whether a result holds memory that nobody has written. `values`: as it was; `filled`: of the same call, in that
    mode."""
    return any(
        one.shape == other.shape and bool((_is_fill(other) & ~_is_fill(one)).any())
        for one, other in zip(values, filled, strict=False)
    )


def _fill_of(made: torch.Tensor) -> float | int | bool:
    if made.is_floating_point() or made.is_complex():
        return float("nan")
    return True if made.dtype == torch.bool else torch.iinfo(made.dtype).max


def _is_fill(value: torch.Tensor) -> torch.Tensor:
    fill = _fill_of(value)
    return value.isnan() if fill != fill else value == fill
