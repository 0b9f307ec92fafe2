"""A process that builds what every emulated program needs, before one is there: `python -m
kernelgate.emulator.build.ahead CACHE`.

In: the cache. Out: the emulator's own libraries and the precompiled headers of a usual program, in the cache; nothing
is said, as whoever builds a program finds out and says more. It yields to all other processes. A program that is built
meanwhile waits for the library that it needs, and for no header.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from pathlib import Path

from kernelgate.emulator.build.extension import Extension, precompile_for
from kernelgate.emulator.build.libraries import build_library
from kernelgate.emulator.errors import CompileFailed, ToolchainMissing

_LEAST_PRIORITY = 19
_DECLARED = "torch::Tensor f(torch::Tensor x);"
_USUAL = f"#include <torch/extension.h>\n#include <cuda_runtime.h>\n{_DECLARED[:-1]} {{ return x; }}"


def build_ahead(cache: Path) -> None:
    """Raises ToolchainMissing."""
    build_library("runtime", cache)
    for examine in (False, True):
        precompile_for(Extension("ahead", _DECLARED, _USUAL, ["f"], examine=examine), cache)


if __name__ == "__main__":
    os.nice(_LEAST_PRIORITY)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is meant for the notebook's cell
    with contextlib.suppress(ToolchainMissing, CompileFailed, OSError):
        build_ahead(Path(sys.argv[1]))
