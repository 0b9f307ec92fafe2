"""What the kernels of device code take of a multiprocessor. Skips the test where NVRTC is not installed."""

from __future__ import annotations

import pytest

from kernelgate.nvrtc.compile_check import used_by
from kernelgate.nvrtc.library import MISSING, nvrtc
from kernelgate.nvrtc.log import Used


def resources(source: str, arch: str) -> dict[str, Used]:
    """Of each kernel, by its mangled name. Fails the test with the compiler's log."""
    if nvrtc() is None:
        pytest.skip(MISSING)
    return {taken.name: taken for taken in used_by(source, arch)}
