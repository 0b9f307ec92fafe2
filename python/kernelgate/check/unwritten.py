"""Results that a reference leaves unwritten: memory without values that no operator has filled.

In: a result, and the result of the same call with such memory filled: with NaN, or with the largest whole number. Out:
whether the fill is in the second result and not in the first. Then the inputs do not determine the result.
"""

from __future__ import annotations

import contextlib
import re
import warnings
from collections.abc import Iterator, Sequence

import torch

_WORDS = re.compile(r"\bempty|\bnew_empty")


def may_leave_unwritten(text: str) -> bool:
    """Whether a reference program makes memory that it has to fill itself."""
    return _WORDS.search(text) is not None


@contextlib.contextmanager
def filled_empty() -> Iterator[None]:
    """Inside, memory without values is filled, also that which PyTorch's own operators make:
    https://docs.pytorch.org/docs/stable/deterministic.html. torch.use_deterministic_algorithms would import the
    compiler, which takes seconds."""
    before = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    fills = torch.utils.deterministic.fill_uninitialized_memory
    torch._C._set_deterministic_algorithms(True, warn_only=True)
    torch.utils.deterministic.fill_uninitialized_memory = True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of operators that have no other way to compute
            yield
    finally:
        torch.utils.deterministic.fill_uninitialized_memory = fills
        torch._C._set_deterministic_algorithms(before[0], warn_only=before[1])


def left_unwritten(values: Sequence[torch.Tensor], filled: Sequence[torch.Tensor]) -> bool:
    """Whether a result holds memory that nobody has written. `values`: as it was; `filled`: of the same call, in that
    state."""
    return any(
        one.shape == other.shape and bool((_is_fill(other) & ~_is_fill(one)).any())
        for one, other in zip(values, filled, strict=False)
    )


def _is_fill(value: torch.Tensor) -> torch.Tensor:
    if value.is_floating_point() or value.is_complex():
        return value.isnan()
    return value == (True if value.dtype == torch.bool else torch.iinfo(value.dtype).max)
