"""What single lines of the kernels cost, as data: counted in emulation, or read from what a compiler makes of them.

In: nothing. Out: the types below, parts of `report.measured`. Nothing here is a time.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from kernelgate.report.record import Count, Name, Part, Record, Words


class GpuCounters(Record, kw_only=True):
    """What ncu counted of the accesses of one kind in one line, on the GPU. The fields are those of `LineCost`;
    `asked_bytes`: of the sectors that would do if the lanes' addresses followed one another."""

    requests: Count
    lanes: Part
    asked_bytes: Count
    moved_bytes: Count
    passes: Count
    least_passes: Count


class LineCost(Record, kw_only=True):
    """What the accesses of one kind in one line of the person's source cost a GPU's memory, counted in emulation by the
    hardware's definitions; never a time. A request is one instruction of one warp."""

    kernel: Name
    line: Count | None = None
    text: Annotated[str, Meta(max_length=400)] = ""
    """The line itself."""
    space: Literal["global", "shared"]
    access: Literal["load", "store", "atomic"]
    requests: Count
    lanes: Part
    """Of 32, on average."""
    asked_bytes: Count
    """Global memory: bytes that the lanes use, each once a request."""
    moved_bytes: Count
    """Global memory: bytes of the sectors of 32 that they lie in."""
    passes: Count
    """Shared memory: over the banks."""
    least_passes: Count
    """Without a conflict."""
    same_address: Part = 0.0
    """Atomics: lanes at the address that most of a request's lanes update, on average."""
    stride_bytes: Count = 0
    """Global memory: between most neighbouring lanes; 0 if that is no common distance, or not counted."""
    gpu: GpuCounters | None = None
    """What the GPU itself counted in its own call, of the problem's size."""
    counted: bool = True
    """Whether emulation has counted here too; if not, the figures above are the GPU's."""
    advice: Words = ""
    """As shown, what would help; empty if nothing is lost."""
    mark: Words = ""
    """As shown at the line in an editor: "Global load: 32 sectors for 128 bytes". Of the costliest lines only."""


class InstructionCount(Record, kw_only=True):
    """How many instructions of one kind: "fp32", "integer", "local load"."""

    kind: Name
    count: Count


class LineBuild(Record, kw_only=True):
    """What NVIDIA's compiler makes of one line of a kernel: instructions of its PTX, each counted once, however often
    it runs."""

    kernel: Name
    line: Count | None = None
    text: Annotated[str, Meta(max_length=400)] = ""
    """The line itself."""
    counts: Annotated[list[InstructionCount], Meta(max_length=32)] = []
    """The most frequent kind first."""
    advice: Words = ""
    """As shown, what would help; empty if nothing is known to be lost."""
    mark: Words = ""
    """As shown at the line in an editor, if there is advice."""
