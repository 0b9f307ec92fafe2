"""Right values at other places: a result that is the reference's reversed, transposed or shifted.

In: the reference's result. Out: for each way in which its values could lie elsewhere, a record of it and the values so.
Not here: whether they fit (`check.explanations`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import torch

from kernelgate.report.wrong_values import Changed, IgnoresStrides

_MOST_DIMENSIONS = 5
_SHIFTS = (1, -1, 2, -2)


def other_places(value: torch.Tensor) -> Iterator[tuple[Changed, torch.Tensor]]:
    """The change, and the values so."""
    wide = [dim for dim in range(value.dim()) if value.shape[dim] > 1][-_MOST_DIMENSIONS:]
    for dim in reversed(wide):
        yield Changed(f"in reverse order along {along(value, dim)}", "the reference's"), value.flip(dim)
    for first, second in reversed(list(itertools.combinations(wide, 2))):
        swapped = value.transpose(first, second)
        if value.shape[first] == value.shape[second]:
            names = "transposed" if value.dim() == 2 else f"dimensions {first} and {second} swapped"
            names = f"with its {names}" if value.dim() > 2 else names
            yield Changed(names, "the reference's"), swapped.contiguous()
            continue
        order = f"in the order of elements that they have with sizes {first} and {second} swapped"
        yield IgnoresStrides(order, "the reference's"), swapped.reshape(value.shape)
        yield IgnoresStrides(order, "the reference's"), as_if_swapped(value, first, second)
    for dim in reversed(wide):
        for by in _SHIFTS:
            if value.shape[dim] >= 8:
                yield Changed(f"shifted by {abs(by)} along {along(value, dim)}", "the reference's"), value.roll(by, dim)


def transposed(value: torch.Tensor) -> Iterator[tuple[Changed, torch.Tensor]]:
    """The same where the shape is another one, too."""
    for first, second in itertools.combinations(range(value.dim())[-4:], 2):
        names = "transposed" if value.dim() == 2 else f"with dimensions {first} and {second} exchanged"
        yield Changed(names, "the reference's"), value.transpose(first, second)


def as_if_swapped(value: torch.Tensor, first: int, second: int) -> torch.Tensor:
    """The elements of memory, read as if these two sizes were the other way round; of the same shape."""
    shape = list(value.shape)
    shape[first], shape[second] = shape[second], shape[first]
    return value.reshape(shape).transpose(first, second).contiguous()


def along(value: torch.Tensor, dim: int) -> str:
    """A dimension in words: "the last dimension", "dimension 1"."""
    return "the last dimension" if dim == value.dim() - 1 else f"dimension {dim}"
