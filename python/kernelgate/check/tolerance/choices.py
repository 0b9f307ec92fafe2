"""Where several results are right: indices of equal values, signs of vectors, what is computed from such a choice, and
whole numbers and truth values that rounding decides.

In: a call of the reference, and the tensors of its result. Out: what its whole numbers index, if that is seen (argmax,
sort, topk, and the like), and where other indices are wrong: among equal values any is right, unless a sort is stable.
Which tensors are singular vectors, eigenvectors or columns of QR, where either sign is right; the vectors of one matrix
share their signs. The reference's own values are also taken with another choice among equal values, if that gives what
the program has. And the lowest and the highest whole number that rounding makes of each element: a program that
multiplies by the inverse of a scale may find the neighbour of a number that lies half-way between two.
Not here: vectors that the reference computes with, and complex ones.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from kernelgate.check.device_asserts import asserts_raise
from kernelgate.check.operator_mode import OperatorMode, by_name
from kernelgate.check.problem import is_out_of_memory, refusal_ends_it
from kernelgate.check.tolerance.numerics import as_real
from kernelgate.check.tolerance.rounding import Operators, Rounding

MAKERS: dict[str, dict[int, int]] = {
    "_linalg_svd": {0: -1, 2: -2},
    "_linalg_eigh": {1: -1},
    "linalg_qr": {0: -1, 1: -2},
}
"""Of an operator, which of its results are vectors, and which dimension counts them."""


@dataclass(frozen=True)
class Vectors:
    """`matrix`: those of one have the same. `dim`: -1 where each column is one, -2 where each row is."""

    matrix: int
    dim: int


def vectors_among(
    results: Sequence[torch.Tensor], made: Sequence[tuple[torch.Tensor, Vectors]]
) -> dict[int, Vectors]:
    """By the number of a tensor."""
    found: dict[int, Vectors] = {}
    for number, one in enumerate(results):
        for tensor, vectors in made:
            if one.is_complex() or one.data_ptr() != tensor.data_ptr() or one.numel() != tensor.numel():
                continue
            if (one.shape, one.stride()) == (tensor.shape, tensor.stride()):
                found[number] = vectors
            elif (one.shape, one.stride()) == (tensor.mT.shape, tensor.mT.stride()):
                found[number] = Vectors(vectors.matrix, -3 - vectors.dim)
    return found


def with_signs(
    got: Sequence[torch.Tensor], right: Sequence[torch.Tensor], vectors: Mapping[int, Vectors]
) -> list[torch.Tensor]:
    """The program's results, with each vector turned as the reference's is."""
    turned = list(got)
    signs: dict[int, torch.Tensor] = {}
    for number, one in vectors.items():
        if number >= len(turned) or turned[number].shape != right[number].shape:
            continue
        along = -3 - one.dim
        if one.matrix not in signs:
            products = (turned[number].double() * right[number].double()).sum(along)
            signs[one.matrix] = torch.where(products < 0, -1, 1)
        sign = signs[one.matrix]
        count = turned[number].shape[one.dim]
        if sign.shape[-1] < count:  # the others belong to no singular value
            sign = torch.nn.functional.pad(sign, (0, count - sign.shape[-1]), value=1)
        turned[number] = turned[number] * sign[..., :count].unsqueeze(along).to(turned[number].dtype)
    return turned


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

    def call(self, func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        result = func(*args, **kwargs)
        matrix = len(self.vectors)
        self.vectors += [(result[place], Vectors(matrix, dim)) for place, dim in MAKERS.get(name, {}).items()]
        position = POSITION.get(name)
        if position is None:
            return result
        results = result if isinstance(result, tuple | list) else (result,)
        if len(results) > position and not results[position].is_floating_point():
            named = by_name(func, args, kwargs)
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


_MOST_CHOICES = 200
_IN_VAIN = 24  # choices in a row after which none is expected to show more
_LIMIT_S = 3.0
_UNITS_BEHIND = 4.0  # of rounding, behind a choice


class _Choosing(OperatorMode):
    """Shows each operator that chooses its values in another order; of equal ones it takes the first that it sees."""

    def __init__(self, order: Callable[[int], torch.Tensor]) -> None:
        super().__init__()
        self._order = order
        self.has_chosen = False

    def call(self, func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        position, named = POSITION.get(name), by_name(func, args, kwargs)
        dim = named.get("dim", None if name not in ("sort", "topk", "kthvalue") else -1)
        if position is None or dim is None or args[0].dim() == 0 or named.get("stable"):
            return func(*args, **kwargs)
        order = self._order(args[0].shape[dim]).to(args[0].device)
        shown = args[0].index_select(dim, order)
        chosen = _stable(shown, dim, named) if name in ("sort", "topk") else func(shown, *args[1:], **kwargs)
        self.has_chosen = True
        results = list(chosen) if isinstance(chosen, tuple | list) else [chosen]
        if len(results) > position and not results[position].is_floating_point():
            results[position] = order[results[position]]
        return tuple(results) if isinstance(chosen, tuple | list) else results[0]


def _stable(values: torch.Tensor, dim: int, named: dict[str, Any]) -> tuple[torch.Tensor, ...]:
    """Sorted, or the first of it. `named`: the arguments of sort or topk."""
    descending = named.get("largest", True) if "k" in named else named.get("descending", False)
    found = torch.sort(values, dim=dim, descending=descending, stable=True)
    return tuple(one.narrow(dim, 0, named["k"]) if "k" in named else one for one in found)


def other_choice(
    got: torch.Tensor,
    value: torch.Tensor,
    again: Callable[[], Sequence[torch.Tensor]],
    number: int,
) -> torch.Tensor | None:
    """The result `got` with `value` wherever it lies between what other choices give; None if no choice changes
    anything there. got, value: one shape and dtype. `again`: calls the reference for all tensors of its result."""
    until = time.monotonic() + _LIMIT_S
    lowest, highest, in_vain = value.clone(), value.clone(), 0
    generator = torch.Generator().manual_seed(0)
    for count in range(_MOST_CHOICES):
        try:
            with _Choosing(functools.partial(_order, count, generator)) as choosing:
                there = again()[number]
        except Exception as exc:  # a reference may refuse another choice by any exception
            if is_out_of_memory(exc):
                raise
            return None
        if not choosing.has_chosen or there.shape != value.shape:
            return None
        low, high = torch.minimum(lowest, there), torch.maximum(highest, there)
        in_vain = in_vain + 1 if torch.equal(low, lowest) and torch.equal(high, highest) else 0
        lowest, highest = low, high
        if count >= 1 and torch.equal(lowest, highest):
            return None
        if in_vain >= _IN_VAIN or time.monotonic() > until:
            break
    slack = _UNITS_BEHIND * torch.finfo(value.dtype).eps / 2 * value.abs() if value.is_floating_point() else 0
    within = (highest > lowest) & (got >= lowest - slack) & (got <= highest + slack)
    return torch.where(within, value, got) if bool(within.any()) else None


def _order(count: int, generator: torch.Generator, size: int) -> torch.Tensor:
    if count == 0:
        return torch.arange(size)
    return torch.arange(size).flip(0) if count == 1 else torch.randperm(size, generator=generator)


_SEED = 0x7370
_SAMPLES = 12
_TIMES = 4.0
"""How much further a value is moved than rounding does: of few samples few lie at the ends."""


@dataclass(frozen=True)
class Span:
    """`low` and `high` of each element, both included; int64."""

    low: torch.Tensor
    high: torch.Tensor

    def holds(self, tensor: torch.Tensor) -> bool:
        """Whether all elements of a tensor of that shape lie within."""
        return bool(((self.low <= tensor) & (tensor <= self.high)).all())

    def with_value(self, tensor: torch.Tensor) -> Span:
        whole = tensor.long()
        return Span(torch.minimum(self.low, whole), torch.maximum(self.high, whole))


def whole_spans(
    call: Callable[[], Sequence[torch.Tensor]], values: Sequence[torch.Tensor], dtype: torch.dtype
) -> list[Span | None]:
    """For each of the reference's own tensors; None for one of other numbers, or if rounding cannot be followed.

    `call`: computes them anew each time, in float64 if it can. `dtype`: of the run; what computes in a narrower one
    than float32 without need is not allowed its rounding.
    """
    values = [as_real(value) for value in values]  # numbers of 8 bits in their order
    whole = [number for number, value in enumerate(values) if not value.is_floating_point()]
    found: list[Span | None] = [None] * len(values)
    if not whole:
        return found
    least = dtype if dtype == torch.float64 else torch.float32
    for unit in dict.fromkeys((least, dtype)):
        spans = _moved(call, [values[number] for number in whole], unit)
        if spans is None:
            return found
        for number, span in zip(whole, spans, strict=True):
            found[number] = span.with_value(values[number])
        if all(span.holds(values[number]) for number, span in zip(whole, spans, strict=True)):
            break
    return found


def _moved(
    call: Callable[[], Sequence[torch.Tensor]], values: Sequence[torch.Tensor], dtype: torch.dtype
) -> list[Span] | None:
    device, operators = values[0].device, Operators()
    spans: list[Span] = []
    with refusal_ends_it(of_cpu=False):  # what a module raises on other numbers says nothing of the candidate
        # The first sample does not know yet whether some are rounded to whole numbers.
        for sample in range(-1, _SAMPLES):
            with asserts_raise(device), Rounding(dtype, _SEED + sample, device, operators, times=_TIMES):
                moved = [one for one in map(as_real, call()) if not one.is_floating_point()]
            if [one.shape for one in moved] != [one.shape for one in values]:
                return None
            if sample <= 0:
                spans = [Span(one.long(), one.long()) for one in moved]
            else:
                spans = [span.with_value(one) for span, one in zip(spans, moved, strict=True)]
        return spans
    return None
