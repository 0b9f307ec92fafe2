"""CUDA C++ on the CPU: builds an unchanged load_inline program with g++, and runs it thread by thread.

For correctness only: nothing here measures. It stands alone: nothing else of kernelgate is imported.

    judge:   supported(), decode_fault(line)
    worker:  emulation = install(cache=..., fault_fd=...); with emulation.active(): ...
    either:  build_extension(...)

Importing this package does not import torch; `install` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .build import Built, build_extension
from .errors import CompileFailed, Diagnostic, Refused, ToolchainMissing
from .faults import POISON_U16, Fault, decode_fault
from .toolchain import supported

if TYPE_CHECKING:
    from .emulation import Emulation, install

__all__ = [
    "POISON_U16",
    "Built",
    "CompileFailed",
    "Diagnostic",
    "Emulation",
    "Fault",
    "Refused",
    "ToolchainMissing",
    "build_extension",
    "decode_fault",
    "install",
    "supported",
]


def __getattr__(name: str) -> Any:
    if name in ("Emulation", "install"):
        from . import emulation

        return getattr(emulation, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
