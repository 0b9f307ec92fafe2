"""A fault in words: the part of its sentence that says what happened.

In: a `FaultLine`. Out: plain words, with the names that the program itself uses.
"""

from __future__ import annotations

import math
import re

from kernelgate.emulator.faults.fault_line import FaultLine, Triple

_FAR = 1 << 30
_SIMPLE_BYTES = (1, 2, 4, 8)


def description(fault: FaultLine) -> str:
    """What happened, without thread and line."""
    access = fault.access or "access"
    match fault.kind:
        case "null":
            return f"{access} through a null pointer"
        case "misaligned":
            return "access to an address that is not a multiple of its size (float4: 16 bytes, float2: 8, float: 4)"
        case "stack_overflow" if fault.kernel is None:
            return "its stack overflows: recursion too deep, or local arrays too large"
        case "stack_overflow":
            return "thread stack overflow (a GPU gives a thread 512 KB): local arrays too large, or recursion too deep"
        case "write_outside":
            return f"something wrote {_distance(fault)}"
        case "deadlock":
            return f"lanes of the mask {fault.mask} never arrive at a warp primitive"
        case "launch":
            return f"kernel {fault.kernel} asks for {fault.detail}"
        case "grid":
            return f"kernel {fault.kernel} is launched with {fault.detail}, more than emulation can run in time"
        case "race":
            return _race(fault)
        case "unordered":
            return _unordered(fault)
        case "guard":
            return (
                f"{_place(fault)} is read without an atomic while others change it with atomics; harmless only if the "
                "read just saves one of them"
            )
        case "uninitialised":
            return f"read of {_memory(fault)}, which nothing has written"
        case "input_written":
            return f"a kernel writes to {_memory(fault)}"
        case "index":
            return f"index outside of an array of type {fault.detail}"
        case "host_memory":
            name = "" if fault.name is None else f", `{own_name(fault.name)}`,"
            return f"{access} of host memory{name} in a kernel"
        case "host_access":
            if fault.region == "variable" and fault.name is not None:
                return f"{access} in host code of `{own_name(fault.name)}`, a variable that kernels use"
            return f"{access} of device memory in host code"
        case "freed" if fault.region == "tensor":
            name = "" if fault.name is None else f" through `{own_name(fault.name)}`"
            return f"{access}{name} of a tensor of {fault.region_bytes} bytes that no longer exists"
        case "freed":
            return f"{access} of memory that has been freed"
        case "assertion":
            return f"the assertion `{fault.detail}` is false"
        case "texture" | "surface" | "call":
            return fault.detail or "a CUDA call that fails"
        case kind if kind in _ALWAYS:
            return _ALWAYS[kind]
        case kind if kind in _OF_HOPPER:
            return _of_hopper(fault)
        case _ if fault.region is None:
            return f"{access} at an address that belongs to no tensor"
        case _:
            return f"{access} {_distance(fault)}"


_ALWAYS = {
    "division_by_zero": "integer division by zero (a GPU does not trap here, its result is undefined)",
    "endless": "a launch that does not end",
    "barrier": "threads of one block wait at different __syncthreads()",
    "left_barrier": "a thread has ended; others of its block wait once more at the __syncthreads() that it passed last",
    "mask": "the calling lane is not in its own mask",
    "absent_lane": "a shuffle takes the value of a lane that does not take part in it",
    "bad_free": "free of memory that malloc in a kernel did not return, or that has already been freed",
    "waits": "a thread waits in a loop for a value that another thread would have to write",
    "trap": "this thread calls __trap(), which ends the launch",
}
_UNITS = {"copy": "an asynchronous copy", "wgmma": "a wgmma"}
_OF_HOPPER = {
    "mbarrier_stuck": "a thread waits for an mbarrier whose phase never completes: {detail}",
    "mbarrier_overrun": "more threads arrive at an mbarrier in one phase than the {detail} that it was initialised for",
    "mbarrier_unknown": "an mbarrier is used that was not initialised",
    "mbarrier_in_use": "an mbarrier is initialised while threads or copies still use it",
    "mbarrier_count": "an mbarrier is initialised for {detail} arrivals; 1 to 1048575 can be",
    "mbarrier_address": "an mbarrier is at an address that is no multiple of 8",
    "named_barrier": "a named barrier whose number of threads does not fit: {detail}",
    "cluster_barrier": "the barrier of the cluster is not met by all threads: {detail}",
    "grid_barrier": "the barrier of the grid is not met by all threads: {detail}",
    "cluster_rank": "{detail} is asked for",
    "cluster_exit": "the shared memory of a block of the cluster is used after that block has ended",
    "shared_address": "{detail} of shared memory are asked for where no shared array has them",
    "store_unfinished": "the block ends and nothing has waited for this copy from its shared memory",
    "wgmma_fence": "a wgmma uses registers that were written before it, with no wgmma.fence between",
    "wgmma_in_flight": "the sums of a wgmma are used before wgmma.wait_group has waited for it",
    "wgmma_warps": "a warp waits for a wgmma that not all four warps of its warpgroup have asked for and committed",
    "early_access": "{access} {memory}, which an asynchronous copy writes, before this thread has waited for the copy",
    "overwritten": "write of {memory}, which {unit} may still read: nothing has waited for it",
    "proxy_fence": "{unit} reads {memory}, which threads have written, with no fence.proxy.async between",
}


def _of_hopper(fault: FaultLine) -> str:
    detail = fault.detail or ""
    words = _OF_HOPPER[fault.kind].format(
        detail=detail or "some never arrive",
        access=fault.access,
        memory=_memory(fault),
        unit=_UNITS.get(detail, "a unit"),
    )
    return (
        words
        if fault.access == "write" or fault.kind != "early_access"
        else words.replace("read ", "read of ", 1)
    )


def thread_words(block: Triple | None, thread: Triple | None) -> str:
    """Block and thread; a program of the grid, where a kernel is written for all of its threads together."""
    return f"program {block}" if thread is None else f"block {block}, thread {thread}"


def element(fault: FaultLine) -> str | None:
    """The accessed bytes, as the program would name them; None if it has no name for them."""
    if fault.name is None:
        return None
    name, _, dimensions = fault.name.partition("[")
    name = own_name(name)
    offset, size = fault.offset_bytes or 0, fault.region_bytes or 0
    if not dimensions and fault.region == "__shared__ array":
        return name  # one value
    declared = [int(n) for n in re.findall(r"\d+", dimensions)] if _PLAIN.fullmatch(dimensions) else []
    count = math.prod(declared)
    if declared and count and size % count == 0 and 0 <= offset < size:
        position = offset // (size // count)
        index: list[int] = []
        for length in reversed(declared):
            index.insert(0, position % length)
            position //= length
        return name + "".join(f"[{i}]" for i in index)
    if dimensions.count("[") == 0 and fault.access_bytes in _SIMPLE_BYTES:
        return f"{name}[{offset // fault.access_bytes}]"
    return name


def own_name(symbol: str) -> str:
    """A variable's name as written in the program. A C++ symbol ends with it; each name follows its length."""
    if not symbol.startswith("_Z"):
        return symbol.partition("[")[0].partition(".")[0]
    name, at = symbol, 0
    while m := re.compile(r"\d+").search(symbol, at):
        at = m.end() + int(m[0])
        if m.end() < at <= len(symbol) and not symbol[m.end()].isdigit():
            name = symbol[m.end() : at]
    return name


_PLAIN = re.compile(r"\d+\](?:\[\d+\])*")  # what follows the name and its first bracket


def _place(fault: FaultLine) -> str:
    return f"`{element(fault)}`" if fault.name is not None else f"the same bytes of a {fault.region}"


def _race(fault: FaultLine) -> str:
    place = _place(fault)
    does = f"{fault.access} {place}" if fault.access == fault.other_access else f"write and read {place}"
    if fault.block != fault.other_block:
        parts = "blocks" if fault.thread is not None else "programs"
        return f"two {parts} of one launch {does}, and nothing orders them"
    if fault.thread is None:
        return f"one operation writes {place} twice, with different values"
    return f"two threads {does} without a barrier between"


def _unordered(fault: FaultLine) -> str:
    place = f"`{own_name(fault.name)}`" if fault.name is not None else f"the same {fault.region}"
    if fault.detail is None:
        does = f"{fault.access} {place}" if fault.access == fault.other_access else f"write and read {place}"
        return f"launches on two streams {does}, and no event orders them"
    kernel = "written" if fault.access == "write" else "read"
    other = "written" if fault.other_access == "write" else "read"
    return f"{place} is {kernel} on one stream and {other} by {fault.detail} on another, and no event orders the two"


def _memory(fault: FaultLine) -> str:
    found = element(fault)
    kind = {"tensor": "tensor memory", "heap block": "memory of malloc"}.get(
        fault.region or "", "shared memory"
    )
    return f"`{found}`" if found is not None else kind


def _distance(fault: FaultLine) -> str:
    offset, size = fault.offset_bytes or 0, fault.region_bytes or 0
    name = "" if fault.name is None else own_name(fault.name)
    region = f"`{name}`, a {fault.region} of {size} bytes" if name else f"a {fault.region} of {size} bytes"
    if offset < 0:
        if -offset >= _FAR:
            return f"far outside of {region}, {-offset:,} bytes before its start"
        return f"{-offset} bytes before the start of {region}"
    if offset < size:
        return f"from byte {offset} past the end of {region}"
    if offset - size >= _FAR:
        return f"far outside of {region}, {offset - size:,} bytes past its end"
    return f"{f'{offset - size} bytes' if offset > size else 'just'} past the end of {region}"
