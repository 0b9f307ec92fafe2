"""Arguments of a constructor or a call, as a message carries them.

In: values, nested ones included, or the reference. Out: `Argument`, and the descriptors of what lies in host memory.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch

from kernelgate.backend.memory import packed
from kernelgate.judge.parameter_states import VARIED, State
from kernelgate.messages.arguments import Argument, Nested, NotFinite, Value
from kernelgate.messages.parcel import Parcel

if TYPE_CHECKING:
    from kernelgate.judge.reference import Reference


def packed_argument(value: Any, descriptors: list[int]) -> Argument:
    """An argument as a message carries it; a host tensor's descriptor is added to the list."""
    if isinstance(value, torch.Tensor):
        return packed(value, descriptors)
    if isinstance(value, dict):
        items = [packed_argument(one, descriptors) for one in value.values()]
        return Nested("dict", items, list(value))
    if isinstance(value, list | tuple):
        items = [packed_argument(one, descriptors) for one in value]
        return Nested("list" if isinstance(value, list) else "tuple", items)
    if isinstance(value, float) and not math.isfinite(value):
        return NotFinite("nan" if value != value else "inf" if value > 0 else "-inf")
    return Value(value)


def packed_construction(
    reference: Reference, state: State = "own"
) -> tuple[list[Argument], int, dict[str, Parcel], list[int]]:
    """What the reference's module is made from: the constructor's arguments, the seed, the parameters, and the
    descriptors that carry them."""
    descriptors: list[int] = []
    init = reference.varied_init(state) if state in VARIED else reference.init
    arguments = [packed_argument(value, descriptors) for value in init or []]
    return arguments, reference.parameters_seed, packed_state(reference, state, descriptors), descriptors


def packed_state(reference: Reference, name: State, descriptors: list[int]) -> dict[str, Parcel]:
    """The reference's parameters of that name; their descriptors are added to the list."""
    state: dict[str, Parcel] = {}
    if name == "as constructed":
        return state
    for key, tensor in reference.state(name).items():
        parcel = packed_argument(tensor, descriptors)
        assert isinstance(parcel, Parcel)
        state[key] = parcel
    return state
