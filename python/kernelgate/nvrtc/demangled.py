"""Kernels' names as people write them, by the C++ library that torch and NVRTC need as well.

In: a mangled name. Out: "scale<float, 4>", without the parameters; the name itself if it cannot be read.
"""

from __future__ import annotations

import ctypes
import functools


@functools.cache
def _library() -> ctypes.CDLL | None:
    try:
        library = ctypes.CDLL("libstdc++.so.6")
        library.__cxa_demangle.restype = ctypes.c_void_p
    except (OSError, AttributeError):
        return None
    return library


def demangled(symbol: str) -> str:
    library = _library()
    status = ctypes.c_int()
    text = None
    if library is not None and symbol.startswith("_Z"):
        text = library.__cxa_demangle(symbol.encode(), None, None, ctypes.byref(status))
    if not text or library is None:
        return symbol
    name = (ctypes.c_char_p(text).value or b"").decode(errors="replace")
    ctypes.CDLL(None).free(ctypes.c_void_p(text))
    name = name.replace("(anonymous namespace)::", "").removeprefix("void ")
    depth = 0
    for position, character in enumerate(name):
        depth += (character == "<") - (character == ">")
        if character == "(" and depth == 0:
            return name[:position]
    return name
