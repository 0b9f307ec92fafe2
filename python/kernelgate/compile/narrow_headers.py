"""Headers that declare what a program uses of PyTorch, so that nvcc does not read all of PyTorch three times.

In: the texts of an extension. Out: the text of each header by its name, for a folder that stands before PyTorch's own;
None if a program is better built with these. Each declaration comes from PyTorch's own headers: only fewer of them
are read. What is not declared then fails to build, and is built with PyTorch's own.
Not here: the build (`compile.cuda_library`), emulation's rewrite of PyTorch (`kernelgate.emulator`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from kernelgate.cuda_source.preprocessor import included

WHOLE_HEADERS = frozenset({"ATen/ATen.h", "torch/all.h", "torch/extension.h", "torch/torch.h", "torch/types.h"})
# `torch::tensor` and `requires_grad` are other functions in `torch::` than in `at::`, which are what is declared here.
_NEEDS_ALL = re.compile(
    r"\b(?:torch|at)\s*::\s*(?:tensor|nn|optim|data|jit|serialize|save|load)\b|\brequires_grad\b|\bautograd\b"
)
_CALLED = re.compile(r"\b([a-z_]\w*)\s*(?=[(<])")
_STANDARD = (
    *("algorithm", "array", "cmath", "cstddef", "cstdint", "cstdlib", "cstring", "functional", "iostream", "limits"),
    *("map", "memory", "mutex", "optional", "sstream", "stdexcept", "string", "tuple", "type_traits", "unordered_map"),
    *("utility", "vector"),
)
# By a word in the program: a header that PyTorch's own bring in, and that few programs need.
_WHERE_USED = {
    "TORCH_LIBRARY": "torch/library.h",
    "Slice": "ATen/TensorIndexing.h",
    "cout": "ATen/Formatting.h",
    "NoGradGuard": "ATen/core/grad_mode.h",
}
# Headers of PyTorch that each operator's header includes, and hardly needs: by a word that needs them.
_SELDOM = {"ATen/Context.h": "globalContext", "ATen/DeviceGuard.h": r"device_of|DeviceGuard"}
_CONSTANTS = {
    **{f"kUInt{bits}": f"at::k{kind}" for bits, kind in ((8, "Byte"), (16, "UInt16"), (32, "UInt32"), (64, "UInt64"))},
    **{f"kInt{bits}": f"at::k{kind}" for bits, kind in ((8, "Char"), (16, "Short"), (32, "Int"), (64, "Long"))},
    **{f"kFloat{bits}": f"at::k{kind}" for bits, kind in ((16, "Half"), (32, "Float"), (64, "Double"))},
    **{f"kF{bits}": f"at::k{kind}" for bits, kind in ((16, "Half"), (32, "Float"), (64, "Double"))},
    **{f"kI{bits}": f"at::k{kind}" for bits, kind in ((8, "Char"), (16, "Short"), (32, "Int"), (64, "Long"))},
    "kU8": "at::kByte",
}


def narrow_headers(
    cpp: Sequence[str], cuda: Sequence[str], pytorch: Path, *, implicit: bool
) -> dict[str, str] | None:
    """`pytorch`: the folder of PyTorch's headers. `implicit`: `load_inline` puts all of them before the texts."""
    text = "\n".join((*cpp, *cuda))
    named = frozenset[str]().union(*(included(one).names for one in (*cpp, *cuda)))
    if not (implicit or named & WHOLE_HEADERS) or _NEEDS_ALL.search(text):
        return None
    called = sorted(set(_CALLED.findall(text)))
    operators = [f"ATen/ops/{name}.h" for name in called if (pytorch / "ATen" / "ops" / f"{name}.h").is_file()]
    more = [header for word, header in _WHERE_USED.items() if re.search(rf"\b{word}\w*\b", text)]
    types = _including("ATen/ATen.h", *more) + _torch_names(text)
    return {
        "ATen/ATen.h": _PER_OPERATOR
        + _including(
            *_STANDARD, "ATen/core/Tensor.h", "ATen/Dispatch.h", "ATen/TensorOperators.h", *operators
        ),
        "torch/types.h": types,
        "torch/all.h": _including("torch/types.h"),
        "torch/torch.h": _including("torch/types.h"),
        "torch/extension.h": _including("torch/types.h") + _for_python("\n".join(cuda)),
        **{header: _seldom(header, word, text) for header, word in _SELDOM.items()},
    }


_PER_OPERATOR = "#pragma once\n#ifndef AT_PER_OPERATOR_HEADERS\n#define AT_PER_OPERATOR_HEADERS\n#endif\n"


def _including(*names: str) -> str:
    return "#pragma once\n" + "".join(f"#include <{name}>\n" for name in names)


def _torch_names(text: str) -> str:
    """The names that PyTorch gives in `torch::` to what is in `at::`."""
    used = [(name, right) for name, right in _CONSTANTS.items() if re.search(rf"\b{name}\b", text)]
    lines = ["using namespace at;", "using std::nullopt;", "using std::optional;", "using Dtype = at::ScalarType;"]
    lines += [f"constexpr auto {name} = {right};" for name, right in used]
    return "namespace torch {\n" + "\n".join(lines) + "\n}\n"


def _for_python(cuda: str) -> str:
    """What binds functions to Python; nvcc reads it only if a text for nvcc does that."""
    here = "1" if re.search(r"\bpy::|pybind", cuda, re.IGNORECASE) else "!defined(__CUDACC__)"
    headers = ("torch/csrc/Exceptions.h", "torch/csrc/utils/pybind.h")
    return f"#if {here}\n" + "".join(f"#include <{name}>\n" for name in headers) + "#endif\n"


def _seldom(header: str, word: str, text: str) -> str:
    return "#pragma once\n" + (f"#include_next <{header}>\n" if re.search(rf"\b(?:{word})\b", text) else "")
