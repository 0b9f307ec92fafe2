"""Theoretical occupancy: the share of a multiprocessor's warps that a kernel can fill.

In: a launch's resources and an architecture. Out: `Occupancy`, with what limits it.
The limits are those of `cuda_source.architectures`. Registers are allocated by the warp in units of 256, shared memory
in units of 128 bytes (CUDA C++ Programming Guide, "Compute Capabilities").
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from kernelgate.cuda_source.architectures import MULTIPROCESSORS

_WARP = 32
_REGISTERS = 65536
_REGISTER_UNIT = 256
_SHARED_UNIT = 128


@dataclass(frozen=True)
class Occupancy:
    """`share`: of the warps that a multiprocessor can hold; `limit`: what keeps it from more, "" if nothing does."""

    blocks: int
    share: float
    limit: str


def occupancy(arch: str, threads: int, registers: int, shared_bytes: int) -> Occupancy | None:
    """Of blocks of so many threads, registers a thread and bytes of shared memory a block. `arch`: "sm_80". None for an
    architecture that is not listed, and for a block that does not fit at all."""
    here = MULTIPROCESSORS.get(arch.rstrip("a"))
    if here is None or threads < 1:
        return None
    warps = math.ceil(threads / _WARP)
    warp_registers = math.ceil(max(registers, 1) * _WARP / _REGISTER_UNIT) * _REGISTER_UNIT
    shared = math.ceil((shared_bytes + (here.reserved_kib << 10)) / _SHARED_UNIT) * _SHARED_UNIT
    fit = {
        "threads": here.warps // warps,
        "registers": _REGISTERS // warp_registers // warps,
        "shared memory": (here.shared_kib << 10) // shared if shared else here.blocks,
        "blocks": here.blocks,
    }
    blocks = min(fit.values())
    if blocks == 0:
        return None
    share = blocks * warps / here.warps
    limit = "" if share >= 1 else next(name for name, count in fit.items() if count == blocks)
    return Occupancy(blocks, share, limit)
