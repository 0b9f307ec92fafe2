"""Arguments of a constructor or a call, as a message carries them.

In: nothing. Out: `Argument`. Not here: how values become arguments (`judge.reference.packed_arguments`) and values
again (`worker.arguments`), how tensors travel (`messages.parcel`).
"""

from __future__ import annotations

from typing import Literal

import msgspec

from kernelgate.messages.parcel import Parcel


class Value(msgspec.Struct, tag="value"):
    """A plain argument: number, truth value, string, None, or a list of them."""

    value: bool | int | float | str | list[bool | int | float | str | None] | None


class NotFinite(msgspec.Struct, tag="not_finite"):
    """A number that JSON does not have."""

    value: Literal["inf", "-inf", "nan"]


class Nested(msgspec.Struct, tag="nested"):
    """A list, tuple or dictionary of arguments; `keys` of a dictionary only."""

    kind: Literal["list", "tuple", "dict"]
    items: list[Argument]
    keys: list[str | int] = []


class Made(msgspec.Struct, tag="made"):
    """A named tuple, or a dataclass, of arguments: its class by module and name, and its fields by name. A class of the
    reference's own text, for which `module` is "", is the program's of that name."""

    module: str
    name: str
    kind: Literal["named tuple", "dataclass"]
    fields: dict[str, Argument]


class Pickled(msgspec.Struct, tag="pickled"):
    """Any other value, such as a dtype, a slice or a function of PyTorch's. Only the judge sends it."""

    data: bytes


Argument = Value | NotFinite | Parcel | Nested | Made | Pickled
