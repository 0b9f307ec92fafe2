"""Arguments of a call as the program gets them, from what a message carries.

In: an argument, and how a tensor is placed on the device. Out: its value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kernelgate.messages.arguments import Argument, Nested, NotFinite
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
    return argument.value
