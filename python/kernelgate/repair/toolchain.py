"""Rules for what compiles: a tool, a header or a library that is not there, an unknown architecture, PyTorch's flags,
and what nvcc alone refuses.

In: a failed build and one of its errors. Out: `Explained`; None for another error. What the machine lacks says nothing
of the program. Not here: what an exception says is missing (`missing`).
"""

from __future__ import annotations

import re

from kernelgate.cuda_source.nvcc_flags import refused_architecture
from kernelgate.messages.failures import Diagnostic
from kernelgate.repair import rewrites
from kernelgate.repair.rule import Example, Explained, FailedBuild, Rule, explained, in_words

_OF_GXX = "Install it: sudo apt install g++, sudo dnf install gcc-c++, or conda install -c conda-forge gxx"
_INSTALL = {"nvcc": "Install the CUDA toolkit and set CUDA_HOME", "g++": _OF_GXX, "c++": _OF_GXX}
_OF_THE_TOOLKIT = "Install the whole CUDA toolkit and set CUDA_HOME"
_OF_PIP = "Install it: pip install {}, and pass the folder of its headers"
_CUTLASS = ("CUTLASS", f"{_OF_PIP.format('nvidia-cutlass')} in extra_include_paths")
_LIBRARIES = {
    "cutlass": _CUTLASS,
    "cute": _CUTLASS,
    "cudnn": ("cuDNN", _OF_PIP.format("nvidia-cudnn-cu13")),
    "nccl": ("NCCL", _OF_PIP.format("nvidia-nccl-cu13")),
    "nvshmem": ("NVSHMEM", _OF_PIP.format("nvidia-nvshmem-cu13")),
    "cublas_v2": ("cuBLAS", _OF_THE_TOOLKIT),
    "cublasLt": ("cuBLAS", _OF_THE_TOOLKIT),
    "cufft": ("cuFFT", _OF_THE_TOOLKIT),
    "curand": ("cuRAND", _OF_THE_TOOLKIT),
    "cusparse": ("cuSPARSE", _OF_THE_TOOLKIT),
    "cusolverDn": ("cuSOLVER", _OF_THE_TOOLKIT),
}
_ARCHITECTURE = re.compile(
    r"(?:Unsupported gpu architecture|not defined for option.*) '(?:compute|sm)_(?P<arch>\w+?)a?'"
)
_NO_HEADER = (
    re.compile(r"^(?P<header>[\w./+-]+): No such file or directory"),
    re.compile(r"cannot open source file \"(?P<header>[^\"]+)\""),
    re.compile(r"^'(?P<header>[\w./+-]+)' file not found"),
)


def _unknown_architecture(build: FailedBuild, error: Diagnostic) -> Explained | None:
    found = _ARCHITECTURE.search(error.message)
    if found is None:
        return None
    changed = rewrites.without_flags(build.candidate, found["arch"])
    unknown = refused_architecture([f"-arch=sm_{found['arch']}"]) is not None
    about = f"{'no CUDA toolkit knows' if unknown else 'this CUDA toolkit does not know'} sm_{found['arch']}"
    step = "Take the flags that name it out: PyTorch's are those of this GPU"
    return explained(build, error, about, step, changed, lacks=not unknown)


def _tool(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """An error of a tool that names no line."""
    if error.line:
        return None
    place, about, step, lacks = build.units.argument_place("name"), error.message, "", False
    if "not found" in error.message:
        about, lacks = f"{error.unit} is not installed", True
        step = _INSTALL.get(error.unit, f"Install {error.unit}")
    elif "Killed signal" in error.message:
        about, step, lacks = "the compiler ran out of memory", "Free memory, and run again", True
    elif error.unit != "ld":
        step = "Correct the source or the compiler flags that this names"
    elif "multiple definition" in error.message:
        step = "Define it in one source, and declare it in the other"
    elif (library := re.search(r"cannot find -l((?:cu|nccl|nv)\w+)", error.message)) is not None:
        about, lacks = f"the library {library[1]} is not installed", True
        step = "Install the CUDA toolkit with its libraries, or take it out"
    else:
        step = "Give the library in extra_ldflags, or define what is missing"
    return Explained(about, place, step, lacks=lacks)


def _missing_header(build: FailedBuild, error: Diagnostic) -> Explained | None:
    found = next(filter(None, (pattern.search(error.message) for pattern in _NO_HEADER)), None)
    if found is None:
        return None
    header, place = found["header"], build.units.place(error)
    if (library := _LIBRARIES.get(re.split(r"[/.]", header)[0])) is not None:
        name, step = library
        return Explained(f"{name} is not installed: there is no {header}", place, step, lacks=True)
    next_step = (
        "Correct the include, or install the library and pass its folder in extra_include_paths"
        if build.units.text(error)
        else "Install the library that has this header, with its development files"
    )
    return Explained(f"there is no header {header}", place, next_step)


_NARROW = re.compile(r"\b(?P<name>(?:__)?half2?|__nv_bfloat16)\b")
_NO_OPERATOR = re.compile(r"no match for 'operator|no operator \"|no suitable|cannot convert|conversion")
_NARROW_FLAGS = {
    "half": ("HALF_OPERATORS", "HALF_CONVERSIONS"),
    "half2": ("HALF2_OPERATORS",),
    "nv_bfloat16": ("BFLOAT16_CONVERSIONS",),
}


def _narrow_operators(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """PyTorch builds with -D__CUDA_NO_HALF_OPERATORS__ and its like, which flags behind these take back. nvcc names the
    types of operands in lines of their own."""
    types = build.failed.log if error.message.startswith("no operator") else error.message
    found = _NARROW.search(types) if _NO_OPERATOR.search(error.message) else None
    if found is None:
        return None
    flags = [f"-U__CUDA_NO_{name}__" for name in _NARROW_FLAGS[found["name"].removeprefix("__")]]
    about = f"PyTorch's flags switch off CUDA's own operators and conversions of {found['name']}"
    changed = rewrites.with_cuda_flags(build.candidate, flags)
    return explained(build, error, about, f"Switch them on, in extra_cuda_cflags: {' '.join(flags)}", changed)


_FLAGS = '["-O3", "--use_fast_math"]'
_CUDA_FLAGS = 'extra_cuda_cflags=["-O3", "--use_fast_math"'

RULES = (
    Rule(
        _unknown_architecture,
        (
            Example(
                "nvcc fatal   : Unsupported gpu architecture 'compute_35'",
                "this CUDA toolkit does not know sm_35",
                20,
                _FLAGS,
                '["-O3", "-gencode", "arch=compute_35,code=sm_35", "--use_fast_math"]',
                _FLAGS,
            ),
            Example(
                "nvcc fatal   : Unsupported gpu architecture 'compute_9Oa'",
                "no CUDA toolkit knows sm_9O",
                20,
                _FLAGS,
                '["-O3", "-gencode", "arch=compute_9Oa,code=sm_9Oa", "--use_fast_math"]',
                _FLAGS,
            ),
        ),
    ),
    in_words(
        r"Python\.h(?:: No such file|\"|' file not found)",
        "Python's headers are not installed",
        "Install them: sudo apt install python3-dev, sudo dnf install python3-devel, or conda install python",
        Example(
            "pyport.h:3:1: fatal error: Python.h: No such file or directory",
            "Python's headers are not installed",
            19,
        ),
        lacks=True,
    ),
    in_words(
        r"unsupported GNU version|unsupported (?:Microsoft|clang) ",
        "nvcc does not take this version of the C++ compiler",
        "Name an older one: CXX=g++-12 and -ccbin g++-12, or install a newer CUDA toolkit",
        Example(
            "host_config.h:139:2: error: #error -- unsupported GNU version! gcc versions later than 14 are not"
            " supported!",
            "nvcc does not take this version of the C++ compiler",
            19,
        ),
        lacks=True,
    ),
    Rule(_tool, (Example("/bin/sh: 1: c++: not found", "c++ is not installed", 20),)),
    Rule(
        _missing_header,
        (
            Example(
                "cuda.cu:3:10: fatal error: torch/warps.h: No such file or directory",
                "there is no header torch/warps.h",
                7,
                "#include <cuda_runtime.h>",
                "#include <torch/warps.h>",
            ),
        ),
    ),
    Rule(
        _narrow_operators,
        (
            Example(
                "cuda.cu:10:35: error: no match for 'operator+' (operand types are 'const __half' and 'const __half')",
                "PyTorch's flags switch off CUDA's own operators and conversions of __half",
                14,
                _CUDA_FLAGS,
                _CUDA_FLAGS,
                f'{_CUDA_FLAGS}, "-U__CUDA_NO_HALF_OPERATORS__", "-U__CUDA_NO_HALF_CONVERSIONS__"',
            ),
            Example(
                'cuda.cu(6): error: no suitable conversion function from "const __nv_bfloat16" to "float" exists',
                "PyTorch's flags switch off CUDA's own operators and conversions of __nv_bfloat16",
                10,
                _CUDA_FLAGS,
                _CUDA_FLAGS,
                f'{_CUDA_FLAGS}, "-U__CUDA_NO_BFLOAT16_CONVERSIONS__"',
            ),
        ),
    ),
    in_words(
        r"calling a (?:constexpr )?__host__ function\(\"(?P<name>[\w:~]+).*?\"\) from a __\w+__ function"
        r"\(\"(?P<caller>[\w:]+)",
        "{caller} calls {name}, which is for the host alone",
        "Declare {name} __device__ if it is yours: a library's function for the host cannot be called in a kernel",
        Example(
            'cuda.cu(6): error: calling a constexpr __host__ function("row_off") from a __device__ function("twice") '
            "is not allowed.",
            "twice calls row_off, which is for the host alone",
            10,
        ),
    ),
)
