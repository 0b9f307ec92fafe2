"""Rules for names that a compiler does not know: without their include, or declared nowhere.

In: a failed build and one of its errors. Out: `Explained`; None for another error. Not here: names that `functions`
lists (`bindings`).
"""

from __future__ import annotations

import re

from kernelgate.messages.failures import Diagnostic
from kernelgate.repair.edits import insertion
from kernelgate.repair.rule import Example, Explained, FailedBuild, Rule, undeclared_name

# A name that exactly one header is known to bring: the include is offered as a certain fix.
_NAMES_OF = {
    "ATen/cuda/CUDAContext.h": "getCurrentCUDAStream getStreamFromPool getDefaultCUDAStream getCurrentDeviceProperties "
    "getCurrentCUDABlasHandle",
    "c10/cuda/CUDAException.h": "C10_CUDA_KERNEL_LAUNCH_CHECK C10_CUDA_CHECK",
    "ATen/cuda/Exceptions.h": "AT_CUDA_CHECK TORCH_CUDABLAS_CHECK",
    "c10/cuda/CUDAGuard.h": "CUDAGuard OptionalCUDAGuard CUDAStreamGuard",
    "c10/cuda/CUDAStream.h": "CUDAStream",
    "ATen/OpMathType.h": "opmath_type",
    "ATen/AccumulateType.h": "acc_type",
    "ATen/cuda/Atomic.cuh": "gpuAtomicAdd",
    "ATen/ceil_div.h": "ceil_div",
    "cuda_runtime.h": "cudaStream_t cudaError_t",
    "cuda_fp16.h": "__half __half2 half half2 __hadd __hmul __float2half __half2float __hadd2 __hmul2 __hfma __hfma2 "
    "__float2half_rn __float2half2_rn __floats2half2_rn __float22half2_rn __half22float2 __halves2half2 hexp h2exp",
    "cuda_bf16.h": "__nv_bfloat16 __nv_bfloat162 __float2bfloat16 nv_bfloat16 nv_bfloat162 __bfloat162float "
    "__float2bfloat16_rn __floats2bfloat162_rn",
    "cub/cub.cuh": "cub",
    "limits": "numeric_limits",
    "cooperative_groups.h": "cooperative_groups",
    "mma.h": "wmma nvcuda",
    "curand_kernel.h": "curandStatePhilox4_32_10_t curandState",
    "math_constants.h": "CUDART_INF_F CUDART_INF CUDART_NAN_F CUDART_PI_F CUDART_MIN_DENORM_F",
    "cmath": "M_PI",
    "cassert": "assert",
    "cfloat": "FLT_MAX DBL_MAX FLT_MIN FLT_EPSILON",
    "climits": "UINT_MAX LLONG_MAX INT_MAX INT_MIN",
    "cstdint": "INT64_MAX",
}
HEADERS = {name: header for header, names in _NAMES_OF.items() for name in names.split()}
# Of cooperative_groups, behind its name: these words alone mean other things as well.
_OF_GROUPS = {
    "reduce": "cooperative_groups/reduce.h",
    "inclusive_scan": "cooperative_groups/scan.h",
    "exclusive_scan": "cooperative_groups/scan.h",
    "memcpy_async": "cooperative_groups/memcpy_async.h",
    "wait_prior": "cooperative_groups/memcpy_async.h",
}
# Namespaces that exist only once one of their headers is included: then a name of the line decides.
_NAMESPACES = {"", "at::cuda", "c10::cuda", "cuda"}


def _header_of(name: str, line: str) -> tuple[str, str] | None:
    """The name used and the header it needs; `line` is the line of the source that uses it."""
    short = name.split("::")[-1]
    if short in HEADERS:
        return short, HEADERS[short]
    if short in _OF_GROUPS and re.search(rf"\b(?:cg|cooperative_groups)\s*::\s*{short}\b", line):
        return f"cooperative_groups::{short}", _OF_GROUPS[short]
    words = re.findall(r"\w+", line) if name in _NAMESPACES else []
    return next(((word, HEADERS[word]) for word in words if word in HEADERS), None)


def _missing_include(build: FailedBuild, error: Diagnostic) -> Explained | None:
    name = undeclared_name(error)
    if name is None or error.unit not in ("main.cpp", "cuda.cu") or "'torch::cuda'" in error.message:
        return None
    known = _header_of(name, build.units.text(error))
    if known is None:
        return None
    used, header = known
    source = build.units.source(error.unit)
    if re.search(rf"^[ \t]*#[ \t]*include[ \t]*[<\"]{re.escape(header)}[>\"]", source, re.MULTILINE):
        return None
    argument = "cuda_sources" if error.unit == "cuda.cu" else "cpp_sources"
    where = "the CUDA source" if build.candidate.language == "cuda" else argument
    fix = f"#include <{header}>"
    call = build.candidate.extension(build.failed.extension, build.failed.call_line)
    return Explained(
        f"{used} needs <{header}>",
        build.units.place(error),
        f"Add this include at the top of {where}",
        fix,
        insertion(build.candidate, call, argument, fix, "top"),
    )


def _undefined(build: FailedBuild, error: Diagnostic) -> Explained | None:
    name = undeclared_name(error)
    if not name:
        return None
    next_step = f"Declare {name} before this line, include its header, or correct the name"
    return Explained(error.message, build.units.place(error), next_step)


_COUNT = "    int n = x.numel();"

INCLUDE = Rule(
    _missing_include,
    (
        Example(
            "cuda.cu:10:24: error: 'C10_CUDA_KERNEL_LAUNCH_CHECK' was not declared in this scope",
            "C10_CUDA_KERNEL_LAUNCH_CHECK needs <c10/cuda/CUDAException.h>",
            14,
            _COUNT,
            f"{_COUNT} C10_CUDA_KERNEL_LAUNCH_CHECK();",
            f"{_COUNT} C10_CUDA_KERNEL_LAUNCH_CHECK();",
        ),
        Example(
            'cuda.cu(10): error: namespace "at::cuda" has no member "getCurrentCUDAStream"',
            "getCurrentCUDAStream needs <ATen/cuda/CUDAContext.h>",
            14,
            _COUNT,
            f"{_COUNT} at::cuda::getCurrentCUDAStream();",
            f"{_COUNT} at::cuda::getCurrentCUDAStream();",
        ),
    ),
)
UNDEFINED = Rule(_undefined, ())
