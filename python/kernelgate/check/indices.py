"""Indices in a result, judged by what they point at: among equal values, any of them is right, unless a sort is stable.

In: a call of the reference, and a tensor of whole numbers among its results. Out: what its elements index, if that is
seen (argmax, sort, topk, and the like), and where other indices are wrong. Vectors with arbitrary signs are seen in the
same call (`check.vector_signs`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from kernelgate.check.operator_mode import OperatorMode
from kernelgate.check.vector_signs import MAKERS, Vectors, vectors_among

_FIRST = ("argmax", "argmin", "argsort")
_SECOND = ("max", "min", "sort", "topk", "kthvalue", "median", "nanmedian", "mode")
POSITION = {**dict.fromkeys(_FIRST, 0), **dict.fromkeys(_SECOND, 1)}
"""The position of the indices among an operator's results."""
_DISTINCT = frozenset({"sort", "topk", "argsort"})
_UNITS = 64.0


@dataclass(frozen=True)
class IndexSource:
    """`values`: what is indexed, along `dim`; None is the flat tensor. `distinct`: no index stands twice in a row.
    `units`: how far apart, in roundings of the largest value, two values may be and still count as equal. `stable`: of
    equal values the one that stands first comes first."""

    values: torch.Tensor
    dim: int | None
    distinct: bool
    units: float
    stable: bool = False


class _Watching(OperatorMode):
    def __init__(self, given: Sequence[torch.Tensor]) -> None:
        super().__init__()
        self._given = {value.data_ptr() for value in given}
        self.found: list[tuple[Any, IndexSource]] = []
        self.vectors: list[tuple[torch.Tensor, Vectors]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        name = func._schema.name.removeprefix("aten::")
        matrix = len(self.vectors)
        self.vectors += [(result[place], Vectors(matrix, dim)) for place, dim in MAKERS.get(name, {}).items()]
        position = POSITION.get(name)
        if position is None:
            return result
        results = result if isinstance(result, tuple | list) else (result,)
        if len(results) > position and not results[position].is_floating_point():
            named = dict(zip((one.name for one in func._schema.arguments), args, strict=False)) | kwargs
            dim = named.get("dim", None if name in ("argmax", "argmin") else -1)
            # Computed values carry rounding errors; inputs do not.
            units = 0.0 if args[0].data_ptr() in self._given else _UNITS
            # Equal in the reference, computed values need not be equal in another program.
            stable = named.get("stable") is True and units == 0.0
            source = IndexSource(args[0].detach(), dim, name in _DISTINCT, units, stable)
            self.found.append((results[position], source))
        return result


class Seen:
    """What the tensors of a result are, by their number."""

    def __init__(self, watching: _Watching, results: Sequence[torch.Tensor]) -> None:
        self.indices = {
            number: source
            for number, one in enumerate(results)
            if one.dtype == torch.int64 and (source := _source_of(one, watching.found)) is not None
        }
        self.vectors = vectors_among(results, watching.vectors)
        self.chooses = bool(watching.found)


def _source_of(tensor: torch.Tensor, made: Sequence[tuple[Any, IndexSource]]) -> IndexSource | None:
    found: IndexSource | None = None
    for indices, source in made:
        if indices.data_ptr() == tensor.data_ptr() and indices.numel() == tensor.numel():
            found = source
    return found


def watched(
    call: Callable[[], Any], given: Sequence[torch.Tensor]
) -> tuple[Any, Callable[[Sequence[torch.Tensor]], Seen]]:
    """What `call` gives for the tensors `given`, and a function that says what the tensors of its result are."""
    with _Watching(given) as watching:
        result = call()
    return result, functools.partial(Seen, watching)


def wrong_indices(got: torch.Tensor, expected: torch.Tensor, source: IndexSource) -> torch.Tensor:
    """Where `got` points at another value than `expected`; bool, of their shape. got, expected: int64, one shape."""
    values, dim = source.values, source.dim
    if dim is None:
        values, dim, flat = values.reshape(-1), 0, True
    else:
        flat = False
    size = values.shape[dim] if values.dim() else 1
    outside = (got < 0) | (got >= size)
    safe = got.masked_fill(outside, 0)
    there, right = (_picked(values, which, dim, flat) for which in (safe, expected))
    if values.is_floating_point():
        unit = torch.finfo(values.dtype).eps / 2
        largest = values.abs().nan_to_num(0.0, 0.0, 0.0).max() if values.numel() else values.new_zeros(())
        near = (
            (there == right)
            | (there.isnan() & right.isnan())
            | ((there - right).abs() <= source.units * unit * largest)
        )
    else:
        near = there == right
    wrong = outside | ~near
    if source.distinct and got.dim() and got.shape[dim] > 1:
        ordered, _ = got.sort(dim=dim)
        twice = (ordered.diff(dim=dim) == 0).any(dim=dim, keepdim=True)
        wrong = wrong | twice
        if source.stable:
            wrong = wrong | _behind_its_equal(got, there, dim)
    return wrong


def _behind_its_equal(got: torch.Tensor, there: torch.Tensor, dim: int) -> torch.Tensor:
    """Where an index follows a larger one of an equal value; bool, of their shape. there: the values at `got`."""
    equal = there.narrow(dim, 1, there.shape[dim] - 1) == there.narrow(dim, 0, there.shape[dim] - 1)
    wrong = torch.zeros_like(got, dtype=torch.bool)
    wrong.narrow(dim, 1, got.shape[dim] - 1).copy_(equal & (got.diff(dim=dim) < 0))
    return wrong


def _picked(values: torch.Tensor, indices: torch.Tensor, dim: int, flat: bool) -> torch.Tensor:
    if flat:
        return values[indices.reshape(-1)].reshape(indices.shape)
    if indices.dim() == values.dim() - 1:
        return values.gather(dim, indices.unsqueeze(dim)).squeeze(dim)
    return values.gather(dim, indices)
