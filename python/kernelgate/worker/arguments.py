"""Arguments of a call as the program gets them, from what a message carries.

In: an argument, and how a tensor is placed on the device. Out: its value, also in the memory of
a call before.
"""

from __future__ import annotations

import dataclasses
import importlib
import pickle
import sys
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import torch

from kernelgate.backend.memory import storage_bytes
from kernelgate.check.nesting import tensors_in
from kernelgate.messages.arguments import Argument, Made, Nested, NotFinite, Pickled
from kernelgate.messages.parcel import Parcel

Place = Callable[[Parcel, list[int]], Any]


def argument_of(argument: Argument, place: Place, descriptors: list[int]) -> Any:
    """The value. `descriptors`: of the message."""
    if isinstance(argument, Parcel):
        return place(argument, descriptors)
    if isinstance(argument, NotFinite):
        return float(argument.value)
    if isinstance(argument, Nested):
        items = [argument_of(item, place, descriptors) for item in argument.items]
        if argument.kind == "dict":
            return dict(zip(argument.keys, items, strict=True))
        return items if argument.kind == "list" else tuple(items)
    if isinstance(argument, Made):
        fields = {name: argument_of(one, place, descriptors) for name, one in argument.fields.items()}
        return _class_of(argument)(**fields)
    if isinstance(argument, Pickled):
        return pickle.loads(argument.data)  # of the judge
    return argument.value


def _class_of(made: Made) -> Any:
    """The class of that name; one like it, where the program has none."""
    own: Any = sys.modules.get("candidate", sys.modules["__main__"])
    module = importlib.import_module(made.module) if made.module else own
    found = getattr(module, made.name, None)
    if isinstance(found, type):
        return found
    if made.kind == "named tuple":
        return namedtuple(made.name, list(made.fields))
    return dataclasses.make_dataclass(made.name, list(made.fields))


def overwritten(places: list[Any], values: list[Any]) -> list[Any]:
    """The tensors of `places` with the elements of `values`, written as a kernel would: unseen by PyTorch. A view gets
    what lies around it, too: after the call, the memory of an input is looked at as a whole."""
    for place, value in zip(tensors_in(places), tensors_in(values), strict=True):
        there, here = storage_bytes(place), storage_bytes(value)
        if _place(place) == _place(value) and there.shape == here.shape:
            there.copy_(here)
        else:
            place.data.copy_(value)
    return places


def _place(view: torch.Tensor) -> tuple[Any, ...]:
    """Of a tensor in its memory."""
    return view.shape, view.stride(), view.storage_offset()
