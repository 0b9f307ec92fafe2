"""Right values at other places: a result that is the reference's reversed, transposed or shifted, or what it gives
for inputs and parameters read as they lie in memory, transposed, or in each other's place.

In: the reference's result, or the tensors that it is given. Out: for each such way a record of it, and the tensors so.
Not here: calling the reference on them, and whether they fit (`judge.reference.explained`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

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


def as_if_swapped(value: torch.Tensor, first: int, second: int) -> torch.Tensor:
    """The elements of memory, read as if these two sizes were the other way round; of the same shape."""
    shape = list(value.shape)
    shape[first], shape[second] = shape[second], shape[first]
    return value.reshape(shape).transpose(first, second).contiguous()


def along(value: torch.Tensor, dim: int) -> str:
    """A dimension in words: "the last dimension", "dimension 1"."""
    return "the last dimension" if dim == value.dim() - 1 else f"dimension {dim}"


_MOST_TENSORS = 12


def other_inputs(tensors: Sequence[torch.Tensor], names: Sequence[str]) -> Iterator[tuple[Changed, list[torch.Tensor]]]:
    """The change, and the tensors so. `names`: of each."""
    if not all(one.is_contiguous() for one in tensors):
        change = IgnoresStrides("as if its inputs were contiguous: it ignores strides")
        yield change, [_as_it_lies(one) for one in tensors]
    for words, changed in _mixed_up(tensors, names):
        yield Changed(words), changed


def _mixed_up(tensors: Sequence[torch.Tensor], names: Sequence[str]) -> Iterator[tuple[str, list[torch.Tensor]]]:
    wide = [n for n, one in enumerate(tensors) if sum(size > 1 for size in one.shape) >= 2]
    for number in wide[:_MOST_TENSORS]:
        for words, one in _swapped(tensors[number]):
            yield f"with {names[number]} {words}", _with(tensors, number, one)
    for number, one in enumerate(tensors[:_MOST_TENSORS]):
        if one.dtype == torch.bool:
            yield f"with {names[number]} inverted", _with(tensors, number, ~one)
    for a, b in itertools.combinations(range(min(len(tensors), _MOST_TENSORS)), 2):
        same = tensors[a].shape == tensors[b].shape and tensors[a].dtype == tensors[b].dtype
        if same and tensors[a].numel() > 1:
            exchanged = _with(_with(tensors, a, tensors[b]), b, tensors[a])
            yield f"with {names[a]} and {names[b]} exchanged", exchanged


def _as_it_lies(one: torch.Tensor) -> torch.Tensor:
    """What a program reads that takes a pointer to the first element, and looks at no stride."""
    elements = one.untyped_storage().nbytes() // one.element_size() - one.storage_offset()
    if one.is_contiguous() or not one.numel() <= elements:
        return one
    return one.as_strided((one.numel(),), (1,)).view(one.shape).clone()


def _swapped(one: torch.Tensor) -> Iterator[tuple[str, torch.Tensor]]:
    """Every two sizes, the last ones first, as a program may mix them up."""
    dims = [dim for dim in range(one.dim()) if one.shape[dim] > 1]
    for first, second in reversed(list(itertools.combinations(dims, 2))):
        if one.shape[first] == one.shape[second]:
            words = "transposed" if one.dim() == 2 else f"transposed in dimensions {first} and {second}"
            yield words, one.transpose(first, second).contiguous()
            continue
        sizes = f"{one.shape[first]}x{one.shape[second]} read as {one.shape[second]}x{one.shape[first]}"
        words = f"read with sizes {first} and {second} swapped ({sizes})"
        yield words, as_if_swapped(one, first, second)
        yield words, one.transpose(first, second).reshape(one.shape)


def _with(tensors: Sequence[torch.Tensor], number: int, one: torch.Tensor) -> list[torch.Tensor]:
    changed = list(tensors)
    changed[number] = one
    return changed
