"""What a wrong result is, if it is one that the reference gives with something changed.

In: the result, the reference's own, and a way to call the reference once more. Out: a record of the change, or None.
Each explanation is tried by computing it. Evidence is clear where it leaves next to nothing of the error, and what is
left is rounding; without that nothing is said. Here: right values at other places, reversed, transposed or shifted, and
inputs and parameters read as they lie in memory, transposed, or in each other's place.
Not here: changed operators (`check.slips.other_operators`).
"""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from kernelgate.check.device_asserts import asserts_raise
from kernelgate.check.nesting import flatten, mapped, tensors_in
from kernelgate.check.problem import refusal_ends_it
from kernelgate.check.slips.other_operators import fits, other_formulas, other_operators
from kernelgate.check.tolerance.numerics import as_real
from kernelgate.check.widening import deep_copy
from kernelgate.judge.reference.copies import Mode, copied, fresh
from kernelgate.report.wrong_values import Changed, IgnoresStrides, OtherFormula

Call = Callable[[torch.nn.Module, Sequence[Any], int | None], Any]


@dataclass(frozen=True)
class Recall:
    """The reference of one case, to be called once more. `run(module, inputs, seed)`: without a seed with the random
    numbers of the case."""

    module: torch.nn.Module
    inputs: Sequence[Any]
    mode: Mode
    run: Call

    def again(self, seed: int | None = None) -> Any:
        """The result once more."""
        return self.run(fresh(self.module, self.mode), [copied(value) for value in self.inputs], seed)

    @property
    def parameters(self) -> list[tuple[str, torch.nn.Parameter]]:
        """Those with sizes that can be mixed up."""
        return [(name, one) for name, one in self.module.named_parameters() if one.dim() >= 2]

    @property
    def tensors(self) -> list[torch.Tensor]:
        """Of the inputs, then of the parameters."""
        return [*tensors_in(list(self.inputs)), *(one.detach() for _name, one in self.parameters)]

    @property
    def names(self) -> list[str]:
        """Of each of `tensors`."""
        count = len(tensors_in(list(self.inputs)))
        own = ["the input"] if count == 1 else [f"input {number + 1}" for number in range(count)]
        return [*own, *(name for name, _one in self.parameters)]

    def on(self, tensors: Sequence[torch.Tensor]) -> Any:
        """The result with other tensors in the place of those."""
        left = iter(tensors)
        given = [mapped(value, lambda _tensor: next(left).clone()) for value in self.inputs]
        module = deep_copy(self.module)
        parameters = dict(module.named_parameters())
        with torch.no_grad():
            for (name, _one), changed in zip(self.parameters, left, strict=True):
                parameters[name].copy_(changed)
        return self.run(fresh(module, self.mode), given, None)


def explained(
    got: torch.Tensor,
    value: torch.Tensor,
    number: int,
    scale: torch.Tensor | None,
    recall: Recall | None,
    limit_s: float = 6.0,
) -> Changed | None:
    """got: tensor `number` of a wrong result; `value`: the reference's own, of the same dtype; `scale`: float64, by how
    much each element of a right one may be off, None if not at all. It ends after about `limit_s`. Raises
    OutOfMemoryError."""
    until = time.monotonic() + limit_s
    if value.element_size() == 1:
        got, value = as_real(got), as_real(value)
    slack = float(scale[scale.isfinite()].max()) if scale is not None and scale.numel() else 0.0
    for change, there in other_places(value):
        if explains(got, value, there, slack):
            return change
    if recall is None or limit_s <= 0:
        return None
    return _changed(got, value, number, slack, recall, until)


def other_formula(
    got: torch.Tensor, value: torch.Tensor, scale: torch.Tensor, recall: Recall | None
) -> OtherFormula | None:
    """Which other formula the first tensor of a result fits, if any. The rest as for `explained`."""
    if recall is None or value.shape != got.shape or not got.is_floating_point():
        return None
    with refusal_ends_it():
        for other, result in other_formulas(recall.again):
            there = flatten(result)[1][0]
            if there.shape == got.shape and fits(got, value, there, scale, other):
                return other.wrong
    return None


def _changed(
    got: torch.Tensor, value: torch.Tensor, number: int, slack: float, recall: Recall, until: float
) -> Changed | None:
    for change, call in _changes(recall):
        # The check inside `call` sees an operator before it is changed; this one sees it afterwards.
        with refusal_ends_it(), asserts_raise(got.device):
            tensors = flatten(call())[1]
            if number < len(tensors) and explains(got, value, tensors[number], slack):
                return change
        if time.monotonic() > until:
            return None
    return None


def _changes(recall: Recall) -> Iterator[tuple[Changed, Callable[[], Any]]]:
    for change, tensors in other_inputs(recall.tensors, recall.names):
        yield change, functools.partial(recall.on, tensors)
    with refusal_ends_it():
        yield from ((Changed(words), call) for words, call in other_operators(recall.again))


_LEFT = 1e-3  # of the error, by root mean square and by its largest element
_LEFT_OF_FEW = 1e-5  # a few elements fit by chance
_FEW = 8
_LEFT_WITH_ROUNDING = 0.05
_GLANCE = 4096  # elements that are looked at first
_ROUNDED = 1.01  # the largest error is taken in the result's own dtype


def explains(got: torch.Tensor, value: torch.Tensor, there: torch.Tensor, slack: float) -> bool:
    """got: the wrong result; `value`: the reference's own; `there`: what explains it; of one
    dtype. `slack`: how far an element of a right result may be off."""
    there = as_real(there) if there.element_size() == 1 else there
    if there.shape != got.shape or there.dtype != got.dtype:
        return False
    if not got.is_floating_point():
        return bool(torch.equal(got, there)) and not bool(torch.equal(there, value))
    if _far_off(got, value, there, slack) or not torch.equal(got.isfinite(), there.isfinite()):
        return False
    finite = got.isfinite() & value.isfinite()
    count = int(finite.sum())
    off = (got[finite].double() - value[finite].double()).abs()
    left = (got[finite].double() - there[finite].double()).abs()
    if not count or not bool(off.any()):
        return False
    share = _LEFT if count >= _FEW else _LEFT_OF_FEW
    if float(left.max()) <= share * float(off.max()):
        return float(left.norm()) <= share * float(off.norm())
    rounding = float(left.max()) <= 4 * slack and count >= _FEW
    return rounding and float(left.norm()) <= _LEFT_WITH_ROUNDING * float(off.norm())


def _far_off(got: torch.Tensor, value: torch.Tensor, there: torch.Tensor, slack: float) -> bool:
    """Whether a few elements already show more of the error than an explanation may leave. Most of the explanations
    that are tried fail here, and all the elements of a large result take a tenth of a second each time."""
    if got.numel() <= _GLANCE:
        return False
    at = torch.unravel_index(torch.arange(0, got.numel(), got.numel() // _GLANCE, device=got.device), got.shape)
    ours, theirs = got[at].double(), there[at].double()
    both = ours.isfinite()
    if not torch.equal(both, theirs.isfinite()):
        return True
    off = float((got - value).abs().nan_to_num_(0.0, 0.0, 0.0).max())
    most = max(_LEFT * off, 4 * slack) * _ROUNDED
    return bool(((ours - theirs)[both].abs() > most).any())


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
