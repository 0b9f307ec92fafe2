"""Arguments of a constructor or a call, as a message carries them, and the constructing of a candidate's module.

In: nothing. Out: `Argument`, `Construct`, `Constructed`. Not here: how values become arguments
(`judge.reference.packed_arguments`) and values again (`worker.arguments`), how tensors travel (`messages.parcel`).
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from kernelgate.check import MAX_TENSORS
from kernelgate.messages import Line
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


class Construct(msgspec.Struct, tag="construct"):
    """Make a ModelNew of `init` (`check.construction`), from a known state of the random generators, and give it the
    reference's parameters."""

    init: list[Argument]
    seed: int
    dtype: str
    state: dict[str, Parcel]
    keep: bool = False
    """The module before stays alive: a `Call` may ask for it as the `former` one."""
    has_state: bool = True
    """Whether the reference has parameters or buffers; `state` may be left out all the same."""
    optional: list[str] = []
    """What of `state` a module may lack: buffers, and second names of one tensor."""
    assignment: int | None = 0
    """Which of the `worker.module_state.assignments` to take; None: no parameters are written."""
    converted: bool = False
    """The whole module takes `dtype`, as by `module.to(dtype)`, and not only what stands for the reference's."""
    results_in: Annotated[list[Annotated[int, Meta(ge=0)]], Meta(max_length=MAX_TENSORS)] = []
    """Instead of its result, a call gives those of its inputs (`check.in_place_results`); none: its result."""


StateLoaded = Literal["by name", "by assignment", "no"]


class Constructed(msgspec.Struct, tag="constructed"):
    """How the module took the reference's parameters: by their names; where these differ, by an assignment; or not,
    where the shapes differ too. `names`: those of the reference by the module's own; `assignments`: how many fit."""

    state_loaded: StateLoaded
    names: Annotated[dict[Line, Line], Meta(max_length=MAX_TENSORS)] = {}
    assignments: int = 0
