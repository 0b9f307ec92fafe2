"""What one multiprocessor of each of NVIDIA's architectures holds.

Source: CUDA C++ Programming Guide, "Compute Capabilities", table "Technical Specifications per Compute Capability";
what CUDA keeps of each block's shared memory: Ampere Tuning Guide, "Shared Memory".
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Multiprocessor:
    """Warps of 32 threads, blocks, KiB of shared memory, and how many of these CUDA keeps for itself in each block."""

    warps: int
    blocks: int
    shared_kib: int
    reserved_kib: int = 1


MULTIPROCESSORS = {
    "sm_70": Multiprocessor(64, 32, 96, 0),
    "sm_75": Multiprocessor(32, 16, 64, 0),
    "sm_80": Multiprocessor(64, 32, 164),
    "sm_86": Multiprocessor(48, 16, 100),
    "sm_87": Multiprocessor(48, 16, 164),
    "sm_89": Multiprocessor(48, 24, 100),
    "sm_90": Multiprocessor(64, 32, 228),
    "sm_100": Multiprocessor(64, 32, 228),
    "sm_120": Multiprocessor(48, 24, 100),
}
