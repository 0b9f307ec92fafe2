"""What PyTorch, the CUDA driver and their allocators say when they fail. Their words are read here, and nowhere else.

In: the message of an exception, which nobody has checked. Out: what it means, or None.
Not here: exceptions that a person is told how to avoid (`repair.exceptions`).
"""

from __future__ import annotations

import re
from typing import Literal

DeviceFault = Literal[
    "out_of_bounds", "misaligned", "assertion", "instruction", "trap", "address_space", "stack_overflow"
]
# After these a process cannot use the device any more.
_FAULTS: dict[str, DeviceFault] = {
    "an illegal memory access": "out_of_bounds",
    "misaligned address": "misaligned",
    "device-side assert triggered": "assertion",
    "an illegal instruction": "instruction",
    "unspecified launch failure": "trap",
    "operation not supported on global/shared address space": "address_space",
    "hardware stack error": "stack_overflow",
}
# Of the device or the driver itself: no kernel causes these.
_FAILURES = (
    "unknown error",
    "uncorrectable ECC error",
    "device(s) is/are busy or unavailable",
    "system not yet initialized",
    "system has unsupported display driver",
)
_MEMORY = re.compile("allocate memory|out of memory|not enough memory")
_ROOM = {
    words: re.compile(rf"(?<![\d.])(\d{{1,9}}(?:\.\d+)?) (bytes|[KMG]iB) is {words}")
    for words in ("free", "allocated by PyTorch", "reserved by PyTorch but unallocated")
}
_UNITS = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
_WITHOUT_CPU = re.compile(r"Could not run 'aten::([\w.]+)' with arguments from the 'CPU' backend")


def cuda_error(message: str) -> str:
    """The driver's words for an error; "" if it is none of the driver's. PyTorch's advice, which names other errors,
    follows in further lines."""
    return message.split("\n")[0].partition("CUDA error: ")[2]


def device_fault(message: str) -> DeviceFault | None:
    """The fault of a kernel that it reports."""
    error = message.split("\n")[0] if "CUDA error" in message else ""
    return next((kind for words, kind in _FAULTS.items() if words in error), None)


def device_failed(message: str) -> bool:
    """Whether the device or its driver failed, which is nobody's fault."""
    return any(words in cuda_error(message) for words in _FAILURES)


def is_no_memory(message: str) -> bool:
    """Whether memory ran out, of the host or a device."""
    return _MEMORY.search(message) is not None


def is_nvml_missing(message: str) -> bool:
    """Whether memory ran out where the allocator asks NVML who holds it, which a confined process cannot start."""
    error = message.split("\n")[0]
    return "nvmlInit" in error and "CUDACachingAllocator" in error


def memory_left(message: str) -> int | None:
    """Bytes of the device that were free, or held by the process, used or not, when memory ran out."""
    found = [_ROOM[words].search(message) for words in _ROOM]
    sizes = [float(one[1]) * _UNITS[one[2]] for one in found if one is not None]
    return int(sum(sizes)) if len(sizes) == len(_ROOM) else None


def without_cpu(message: str) -> str | None:
    """The operator that has no form for the CPU."""
    found = _WITHOUT_CPU.match(message)
    return found[1] if found is not None else None
