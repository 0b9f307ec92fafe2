"""What the judge asks of the worker, and what the worker may answer.

The worker runs the candidate and nothing else: it is asked to load a program, to construct its module and to call it,
and it answers with data. Every answer is checked for type and size when it is decoded (`judge.channel`).
Not here: how tensors travel (`backend.parcel`), how processes start (`judge.warm`).
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from kernelgate.backend.parcel import Parcel
from kernelgate.build.failures import CompilerFailed, Raised
from kernelgate.build.records import BuiltExtension

Text = Annotated[str, Meta(max_length=2_000_000)]
Line = Annotated[str, Meta(max_length=2000)]


class Value(msgspec.Struct, tag="value"):
    """A plain argument: number, truth value, string, None, or a list of them."""

    value: bool | int | float | str | list[bool | int | float | str | None] | None


Argument = Value | Parcel


# --- asked by the judge ---------------------------------------------------------------------------------------------


class Load(msgspec.Struct, tag="load"):
    """Execute the program's text, as a module of its own. First message to a worker."""

    python: Text
    device: Literal["cuda", "emulated"]
    device_index: int
    cache: str
    arch: str | None = None


class Construct(msgspec.Struct, tag="construct"):
    """Make `ModelNew(*init)`, from a known state of the random generators, and give it the reference's parameters."""

    init: list[Argument]
    seed: int
    dtype: str
    state: dict[str, Parcel]


class Call(msgspec.Struct, tag="call"):
    """Call the module. `order` names the order in which emulation runs threads."""

    inputs: list[Argument]
    order: Literal["normal", "reversed", "shuffled"] = "normal"


Request = Load | Construct | Call


# --- answered by the worker -----------------------------------------------------------------------------------------


class Loaded(msgspec.Struct, tag="loaded"):
    pass


class Constructed(msgspec.Struct, tag="constructed"):
    """`state_loaded` is false where the parameters' names or shapes differ from the reference's."""

    state_loaded: bool
    state_names: Annotated[list[Line], Meta(max_length=200)] = []


class Returned(msgspec.Struct, tag="returned"):
    """What a call gave. `output` is None where it was no tensor; `what` then says what it was."""

    what: Line
    output: Parcel | None
    on_device: bool
    aliases_input: bool
    inputs: Annotated[list[Argument], Meta(max_length=64)]
    """The inputs after the call, in the order given."""
    damage: Annotated[list[Line], Meta(max_length=20)] = []
    """Writes outside of a tensor that the backend found, in words."""
    kernels: int = 0


class Refused(msgspec.Struct, tag="refused"):
    """Emulation does not cover the program. `unit` and `line` are those of the source given to load_inline."""

    what: Line
    unit: Line | None = None
    line: int | None = None
    unit_text: Text = ""


class NoToolchain(msgspec.Struct, tag="no_toolchain"):
    what: Line


class Broke(msgspec.Struct, tag="raised"):
    """The candidate raised."""

    raised: Raised


class NotCompiled(msgspec.Struct, tag="not_compiled"):
    failed: CompilerFailed


Answer = Loaded | Constructed | Returned | Refused | NoToolchain | Broke | NotCompiled


class Building(msgspec.Struct, tag="building"):
    """Told while a request is being worked on: a compiler starts, or (`name` None) has ended."""

    name: Line | None


class Reply(msgspec.Struct, tag="reply"):
    """Every answer comes with the extensions built since the one before."""

    answer: Answer
    built: Annotated[list[BuiltExtension], Meta(max_length=64)] = []


FromWorker = Building | Reply
