"""Constructing a candidate's module in a worker: what is asked, and what is answered.

In: nothing. Out: `Construct`, `Constructed`. Not here: what else a worker is asked (`messages.worker`).
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from kernelgate.check.limits import MAX_TENSORS
from kernelgate.messages.arguments import Argument
from kernelgate.messages.parcel import Parcel
from kernelgate.messages.texts import Line


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
    """Which of the `check.parameter_names.assignments` to take; None: no parameters are written."""
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
