"""The sizes of a sweep: the problem's own inputs with fewer rows or, if any shape will do, with fewer elements.

In: inputs. Out: `Sized`, the smallest first, the problem's own size last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

_FACTOR = 4
_SMALLEST_ELEMENTS = 1024
_MOST_SIZES = 16


@dataclass(frozen=True)
class Sized:
    """One size: so many `rows` of each input that has as many as the first, `of_rows`; or, flat, so many `elements`."""

    elements: int
    rows: int | None
    of_rows: int = 0

    def of(self, inputs: Sequence[Any]) -> list[Any]:
        """The inputs at this size, dense and in memory of their own."""
        return [self._one(value) if isinstance(value, torch.Tensor) else value for value in inputs]

    def _one(self, value: torch.Tensor) -> torch.Tensor:
        if self.rows is not None:
            return value[: self.rows].clone() if value.dim() and len(value) == self.of_rows else value
        return value.reshape(-1)[: self.elements].clone() if _is_floating(value) else value


def sizes_of(inputs: Sequence[Any], *, flat: bool) -> list[Sized]:
    """`flat`: the problem takes any shape. Otherwise its inputs keep their other dimensions."""
    first = next((v for v in inputs if _is_floating(v) and v.dim()), None)
    if first is None:
        return []
    if flat:
        counts = _powers(_SMALLEST_ELEMENTS, first.numel())
        return [Sized(elements=count, rows=None) for count in counts]
    width = first.numel() // max(1, first.shape[0])
    return [Sized(rows * width, rows, first.shape[0]) for rows in _powers(1, first.shape[0])]


def _powers(smallest: int, largest: int) -> list[int]:
    found = []
    size = smallest
    while size < largest:
        found.append(size)
        size *= _FACTOR
    return [*found, largest][-_MOST_SIZES:]


def _is_floating(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()
