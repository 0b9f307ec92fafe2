"""What the device compile check found: plain, bounded data that crosses a process."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Line = Annotated[str, Meta(max_length=2000)]
Count = Annotated[int, Meta(ge=0, le=1 << 40)]
MAX_LISTING = 400_000
Listing = Annotated[str, Meta(max_length=MAX_LISTING)]


class KernelBuild(msgspec.Struct):
    """What one kernel uses of a multiprocessor. Bytes; stack and spills are a thread's, shared memory a block's.

    `threads` of a block: of its launch where `launched`, else the most that __launch_bounds__ allows; `dynamic_bytes`:
    shared memory that the launch asks for. None: the text does not say.
    """

    name: Line
    registers: Count
    stack_bytes: Count
    spill_store_bytes: Count
    spill_load_bytes: Count
    static_shared_bytes: Count
    constant_bytes: Count
    threads: Annotated[int, Meta(ge=1, le=1024)] | None = None
    launched: bool = False
    dynamic_bytes: Count | None = None


class Refusal(msgspec.Struct):
    """`what` a GPU's compiler refuses, at `line` of the source, 0 if it names none; `next_step` as advice."""

    what: Line
    line: Count
    column: Count
    next_step: Line


class LineInstructions(msgspec.Struct):
    """Of one line of one kernel: how many instructions of PTX the compiler makes of it, by kind."""

    kernel: Line
    line: Count
    counts: Annotated[dict[Line, Count], Meta(max_length=32)]


class DeviceCompile(msgspec.Struct):
    """The result for one source and one architecture.

    refused: no compiler for GPUs builds it, and `refusal` says why. unsupported: `why` it does not build for this
    architecture, which another may support. not looked at: `why`; it says nothing about the program.
    """

    arch: Line
    state: Literal["compiled", "refused", "unsupported", "not looked at"]
    why: Line = ""
    refusal: Refusal | None = None
    kernels: Annotated[list[KernelBuild], Meta(max_length=64)] = []
    left_out: Annotated[list[Line], Meta(max_length=64)] = []
    """Kernels whose template arguments are not known."""
    more: Count = 0
    """Further sets of template arguments that were not compiled."""
    cubin_bytes: Count = 0
    seconds: Annotated[float, Meta(ge=0)] = 0.0
    lines: Annotated[list[LineInstructions], Meta(max_length=400)] = []
    """Where they were asked for."""
    ptx: Listing = ""
    sass: Listing = ""
