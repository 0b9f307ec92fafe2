"""One event of a trace, as data that a worker may send."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

MAX_EVENTS = 4000

Kind = Literal["kernel", "copy", "set", "launch", "operator"]


class TraceEvent(msgspec.Struct):
    """One event. Only kernels have a grid, a block, registers and shared memory (in bytes)."""

    kind: Kind
    name: Annotated[str, Meta(max_length=1000)]
    start_s: Annotated[float, Meta(ge=0)]
    seconds: Annotated[float, Meta(ge=0)]
    stream: Annotated[int, Meta(ge=0)] = 0
    grid: Annotated[list[int], Meta(max_length=3)] = []
    block: Annotated[list[int], Meta(max_length=3)] = []
    registers: int | None = None
    shared_bytes: int | None = None
    bytes: int | None = None
    """Of a copy."""
