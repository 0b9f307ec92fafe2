"""Device code through NVRTC, which needs no GPU: what each kernel takes of a multiprocessor.

In: CUDA source without host functions, and an architecture. Out: `Resources` by kernel. Skips the test where the
wheel of NVRTC is not installed.
"""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

_FOLDERS = [Path(torch.__file__).parents[1] / "nvidia" / name for name in ("cu13", "cuda_nvrtc")]
_USED = re.compile(
    r"Compiling entry function '(?P<name>\w+)' for '\w+'.*?"
    r"(?P<stack>\d+) bytes stack frame, (?P<stores>\d+) bytes spill stores, (?P<loads>\d+) bytes spill loads.*?"
    r"Used (?P<registers>\d+) registers(?:[^\n]*?(?P<shared>\d+) bytes smem)?",
    re.DOTALL,
)
# What NVRTC has no header for, or brings itself.
_HEADERS = {
    "cstddef": "",
    "cstdint": "typedef unsigned uint32_t; typedef long long int64_t; typedef unsigned long long uint64_t;\n",
    "cuda_runtime.h": "#define INFINITY __int_as_float(0x7f800000)\n",
    "cuda.h": "struct alignas(64) CUtensorMap { unsigned long long opaque[16]; };\n",
}


@dataclass(frozen=True)
class Resources:
    """shared_bytes: what the kernel declares; a launch may ask for more."""

    registers: int
    spilled_bytes: int
    shared_bytes: int


def resources(source: str, arch: str) -> dict[str, Resources]:
    """Of each kernel, by its mangled name. Fails the test with the compiler's log."""
    library, include = _nvrtc()
    program = ctypes.c_void_p()
    names = (ctypes.c_char_p * len(_HEADERS))(*(name.encode() for name in _HEADERS))
    texts = (ctypes.c_char_p * len(_HEADERS))(*(text.encode() for text in _HEADERS.values()))
    library.nvrtcCreateProgram(
        ctypes.byref(program), source.encode(), b"cuda.cu", len(_HEADERS), texts, names
    )
    flags = [f"--gpu-architecture={arch}", "--ptxas-options=-v", "-std=c++17", f"--include-path={include}"]
    flags.append("--device-as-default-execution-space")  # prototypes of host functions are let be
    given = (ctypes.c_char_p * len(flags))(*(flag.encode() for flag in flags))
    status = library.nvrtcCompileProgram(program, len(flags), given)
    size = ctypes.c_size_t()
    library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    library.nvrtcGetProgramLog(program, log)
    library.nvrtcDestroyProgram(ctypes.byref(program))
    told = log.value.decode(errors="replace")
    assert status == 0, told[-4000:]
    return {
        m["name"]: Resources(int(m["registers"]), int(m["stores"]) + int(m["loads"]), int(m["shared"] or 0))
        for m in _USED.finditer(told)
    }


def _nvrtc() -> tuple[ctypes.CDLL, Path]:
    for folder in _FOLDERS:
        builtins = sorted(folder.glob("lib/libnvrtc-builtins.so*"))
        found = sorted(folder.glob("lib/libnvrtc.so*"))
        if builtins and found:
            ctypes.CDLL(str(builtins[0]), mode=ctypes.RTLD_GLOBAL)
            return ctypes.CDLL(str(found[0])), folder / "include"
    pytest.skip("NVRTC is not installed: no wheel of it beside torch")
