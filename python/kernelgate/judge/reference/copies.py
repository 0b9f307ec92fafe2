"""Which parameters a module of a run has, by name, so that judge and worker construct the same; and copies of inputs
and modules, so that no call of a reference changes what the next one gets."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch

from kernelgate.check.nesting import is_floating, mapped, tensors_in
from kernelgate.check.widening import deep_copy, on_parts

State = Literal[
    "own",
    "integers",
    "changed",
    "rows exchanged",
    "one element",
    "whole numbers moved",
    "varied",
    "as constructed",
]
""" "rows exchanged": those of "changed", two rows of each in each other's place; "one element": so too, and an element
of one of them another, which `Reference.pick` names; "whole numbers moved": the own ones, whole numbers elsewhere in
their row; "varied": constructed with other arguments, those of `Reference.vary`; "as constructed": none loaded."""

@dataclass
class Assignment:
    """Which of a candidate's tensors stand for which of the reference's, by `worker.module_state`: one choice for all
    sizes of a run. None: its own stay, made from the seed that the reference's were made from."""

    number: int | None = 0


FACTORS = (0.75, -0.5, 3.0)
"""What the floats of a constructor are multiplied by, to see that they are taken."""


def times(init: Sequence[Any], factor: float) -> list[Any] | None:
    """A constructor's arguments with their floats multiplied; None without any. A large one is beyond 1, where much
    that holds below does not: the larger of x and a * x is a leaky ReLU only for an a below 1."""

    def other(value: float) -> float:
        near = factor > 1 >= abs(value * factor)
        return math.copysign(1 + abs(value), value) if near else value * factor

    floats = any(isinstance(value, float) for value in init)
    return [other(value) if isinstance(value, float) else value for value in init] if floats else None



Mode = Literal["as made", "train", "eval"]
_MOST_COPIED = 1 << 24  # bytes
_ALIGNED = 64  # elements: as much as an operator may ask for
_DRAWN = 1_048_573
"""So many numbers of a parameter are drawn, and repeated: a prime, of which no row of a matrix is a multiple."""


def copied(value: Any) -> Any:
    """A copy with the same strides, tensors in lists and dictionaries included; on the CPU with the same alignment."""
    return mapped(value, _copied_tensor)


def _copied_tensor(value: torch.Tensor) -> torch.Tensor:
    copied = value.clone(memory_format=torch.preserve_format)
    if copied.stride() == value.stride():
        offset = value.storage_offset() % _ALIGNED
        # view_as_complex takes no odd offset, for one. On a GPU some operators would end this process for it.
        if not offset or value.device.type != "cpu":
            return copied
        place = value.new_empty(offset + value.numel()).as_strided(value.shape, value.stride(), offset)
        return place.copy_(value)
    storage = value.untyped_storage().clone()
    return value.new_empty(0).set_(storage, value.storage_offset(), value.shape, value.stride())


def each(values: Sequence[Any], change: Callable[[torch.Tensor], torch.Tensor]) -> list[Any]:
    """The values, with each floating tensor changed, and the parts of each complex one."""

    def one(value: torch.Tensor) -> torch.Tensor:
        return on_parts(change, value) if is_floating(value) or value.is_complex() else value

    return [mapped(value, one) for value in values]


def fresh(module: torch.nn.Module, mode: Mode = "as made", *, is_copy: bool = False) -> torch.nn.Module:
    """A copy, if the module is none: a call may change what it holds. Parameters of many bytes are not copied."""
    parameters = list(module.parameters())
    large = sum(one.nbytes for one in parameters) > _MOST_COPIED
    shared: dict[int, Any] = {id(one): one for one in parameters} if large else {}
    again = module if is_copy else deep_copy(module, shared)
    return again if mode == "as made" else again.train(mode == "train")


def perturbed(module: torch.nn.Module, factor: float) -> torch.nn.Module | None:
    """A copy with every float among its attributes multiplied; None if it has none."""
    again = deep_copy(module)
    found = False
    for part in again.modules():
        for name, value in list(vars(part).items()):
            if type(value) is float:
                setattr(part, name, value * factor)
                found = True
    return again if found else None


def shares_memory(values: Sequence[torch.Tensor], given: Sequence[Any]) -> bool:
    """Whether a result shares memory with an input."""
    pointers = {v.untyped_storage().data_ptr() for v in tensors_in(list(given))}
    return any(value.numel() > 0 and value.untyped_storage().data_ptr() in pointers for value in values)


def other_state(
    state: Mapping[str, torch.Tensor], generator: torch.Generator, name: State, picked: int = 0
) -> dict[str, torch.Tensor]:
    """Others for the parameters of a module, by name. What has several names, as where two layers share a weight,
    gets one value. `picked`: of which floating one an element changes."""
    make = _MAKERS.get(name) or functools.partial(other_values, integers=name == "integers")
    found: dict[Any, torch.Tensor] = {}
    for key, value in state.items():
        place = _place(key, value)
        if place not in found:
            found[place] = make(value, generator)
    floating = [one for one in found.values() if is_floating(one) and one.numel()]
    for one in floating[picked : picked + 1] if name == "one element" else ():
        element = one.view(-1)[torch.randint(one.numel(), (1,), generator=generator, device=one.device)[0]]
        element.copy_(-element.abs() - one.abs().max())
    return {key: found[_place(key, value)] for key, value in state.items()}


def _place(name: str, value: torch.Tensor) -> Any:
    return (value.data_ptr(), value.shape, value.stride()) if value.numel() else name


def _rows_exchanged(value: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Of the same sum, norm and extremes."""
    exchanged = value.clone()
    if is_floating(value) and value.dim() and value.numel():
        rows = torch.randint(len(value), (2,), generator=generator, device=value.device)
        exchanged[rows] = value[rows.flip(0)]
    return exchanged


def moved(value: torch.Tensor) -> torch.Tensor:
    """Whole numbers of each row, such as indices, each at another place of it; another tensor as it is."""
    whole = not value.is_floating_point() and not value.is_complex() and value.dtype != torch.bool
    return value.flip(-1).roll(1, -1) if whole and value.dim() else value


_MAKERS: dict[State, Callable[[torch.Tensor, torch.Generator], torch.Tensor]] = {
    "rows exchanged": _rows_exchanged,
    "one element": lambda value, _generator: value.clone(),
    "whole numbers moved": lambda value, _generator: moved(value),
}


def other_values(value: torch.Tensor, generator: torch.Generator, *, integers: bool) -> torch.Tensor:
    """Another tensor for a parameter; same shape, dtype and device. What a fresh module has the same everywhere, as the
    weight, bias and variance of a norm, gets values around it, of its sign."""
    if not is_floating(value):
        return value.clone()
    drawn = torch.empty(min(value.numel(), _DRAWN), device=value.device)
    if integers:
        drawn.copy_(torch.randint(-4, 5, drawn.shape, generator=generator, device=value.device))
    elif value.numel() and bool((value == value.reshape(-1)[0]).all()):
        constant = float(value.reshape(-1)[0])
        drawn.uniform_(0.5 if constant else -0.5, 1.5 if constant else 0.5, generator=generator).mul_(constant or 1.0)
    else:
        drawn.normal_(generator=generator).mul_(value.float().abs().mean())
    if not integers and drawn.numel():  # so few digits that a sum is the same in any order
        unit = 2.0 ** (drawn.abs().max().log2().floor() - 7)
        drawn.div_(unit).round_().mul_(unit)
    times = -(-value.numel() // _DRAWN)
    repeated = drawn if times < 2 else drawn.repeat(times)[: value.numel()]
    return repeated.to(value.dtype).reshape(value.shape)
