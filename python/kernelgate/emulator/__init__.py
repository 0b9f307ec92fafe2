"""CUDA C++ on the CPU: builds an unchanged load_inline program with g++, and runs it thread by thread.

For correctness only: it measures nothing. It stands alone: it imports nothing else of kernelgate but `cuda_source`.

    judge:   supported(), decode_fault(line)
    worker:  emulation = install(cache=..., fault_fd=..., builder=...); with emulation.active(): ...
    builder: build(Extension(...), cache, compiling), build_library(name, cache, compiling)
    either:  build_extension(...)

Importing this package does not import torch; `install` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernelgate.emulator.build.extension import Built, Extension, build, build_extension
from kernelgate.emulator.build.libraries import Builder, OwnLibrary, build_library, know_ahead
from kernelgate.emulator.build.toolchain import Compiling, Finished, run_commands, supported
from kernelgate.emulator.costs import LineCost, decode_costs
from kernelgate.emulator.errors import CompileFailed, Diagnostic, Refused, ToolchainMissing
from kernelgate.emulator.faults.faults import POISON_U16, Fault, decode_fault
from kernelgate.emulator.translate.units import Lane

if TYPE_CHECKING:
    from kernelgate.emulator.emulation import Emulation, install

__all__ = [
    "POISON_U16",
    "Builder",
    "Built",
    "CompileFailed",
    "Compiling",
    "Diagnostic",
    "Emulation",
    "Extension",
    "Fault",
    "Finished",
    "Lane",
    "LineCost",
    "OwnLibrary",
    "Refused",
    "ToolchainMissing",
    "build",
    "build_extension",
    "build_library",
    "decode_costs",
    "decode_fault",
    "install",
    "know_ahead",
    "run_commands",
    "supported",
]


def __getattr__(name: str) -> Any:
    if name in ("Emulation", "install"):
        from kernelgate.emulator import emulation

        return getattr(emulation, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
