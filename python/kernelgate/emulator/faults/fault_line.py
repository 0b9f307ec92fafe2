"""The line that a runtime writes about a fault: its fields, and their bounds.

In: one JSON line of an untrusted process (`runtime/line.h` writes it). Out: a `FaultLine`, or msgspec's DecodeError.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Triple = tuple[int, int, int]
Word = Annotated[str, msgspec.Meta(max_length=1024)]
AccessKind = Literal["read", "write"]
Kind = Literal[
    "out_of_bounds",
    "misaligned",
    "null",
    "stack_overflow",
    "division_by_zero",
    "write_outside",
    "endless",
    "barrier",  # threads of one block wait at different barriers
    "left_barrier",  # a thread has ended at whose last barrier others wait once more
    "deadlock",  # some lanes of a mask never arrive
    "absent_lane",  # a shuffle reads from a lane that does not take part
    "launch",  # beyond what a device can launch
    "grid",  # beyond what emulation can run in the time it has
    "mask",  # a lane that is not in its own mask
    "race",
    "unordered",  # two works on two streams touch the same bytes, one of them writing
    "guard",  # a plain read that decides on an atomic of the same word, which others change
    "uninitialised",
    "input_written",  # by a kernel
    "call",  # of CUDA's runtime, which gives an error
    "index",  # outside an array whose size the compiler knows
    "host_memory",  # a kernel touches memory of the host
    "host_access",  # host code touches memory of the device
    "freed",  # memory of malloc in a kernel, after free
    "assertion",  # an assert of the kernel is false
    "trap",  # the kernel has called __trap
    "bad_free",  # free of what malloc in a kernel did not return
    "waits",  # for a thread that cannot run
    "early_access",  # of what a copy writes, before it is known to have arrived
    "overwritten",  # what the copying or multiplying unit may still read
    "proxy_fence",  # what a thread has written is read by a unit with no fence between
    "mbarrier_stuck",  # its phase never completes
    "mbarrier_overrun",  # more arrivals than it counts
    "mbarrier_unknown",  # never initialised
    "mbarrier_in_use",  # initialised while it is waited for
    "mbarrier_count",
    "mbarrier_address",
    "named_barrier",
    "cluster_barrier",
    "grid_barrier",
    "cluster_rank",
    "cluster_exit",  # shared memory of a block that has ended
    "shared_address",  # none of a shared object
    "store_unfinished",  # nobody waits for a copy to global memory
    "texture",  # an object that is none, or another type than it gives
    "surface",  # outside of it
    "wgmma_fence",
    "wgmma_in_flight",
    "wgmma_warps",  # not all of a warpgroup take part
]
Limit = Literal["threads", "blocks", "dynamic shared memory", "static shared memory"]
"""Of a launch."""
RegionKind = Literal["tensor", "__shared__ array", "dynamic __shared__ array", "variable", "heap block"]


class FaultLine(msgspec.Struct, forbid_unknown_fields=True):
    """`offset_bytes` counts from the region's start. Fields that begin with `other_` describe a second place: the other
    side of a race, or where an index overflowed."""

    kind: Kind
    access: AccessKind | None = None
    kernel: Word | None = None
    launch_unit: Word | None = None
    launch_line: int | None = None
    block: Triple | None = None
    thread: Triple | None = None
    region: RegionKind | None = None
    region_bytes: int | None = None
    offset_bytes: int | None = None
    library: Annotated[str, msgspec.Meta(max_length=4096)] | None = None
    library_offset: int | None = None
    name: Word | None = None
    access_bytes: int | None = None
    line: int | None = None
    other_line: int | None = None
    mask: Word | None = None
    detail: Word | None = None
    limit: Limit | None = None
    other_access: AccessKind | None = None
    other_block: Triple | None = None
    other_thread: Triple | None = None
    other_library: Annotated[str, msgspec.Meta(max_length=4096)] | None = None
    other_library_offset: int | None = None
