"""Headers of the names that CUDA sources use most often without including them.

Only names that exactly one header is known to bring belong here: the include is offered as a certain fix.
"""

from __future__ import annotations

import re

_HEADERS = {
    "getCurrentCUDAStream": "ATen/cuda/CUDAContext.h",
    "getStreamFromPool": "ATen/cuda/CUDAContext.h",
    "getDefaultCUDAStream": "ATen/cuda/CUDAContext.h",
    "getCurrentDeviceProperties": "ATen/cuda/CUDAContext.h",
    "getCurrentCUDABlasHandle": "ATen/cuda/CUDAContext.h",
    "C10_CUDA_KERNEL_LAUNCH_CHECK": "c10/cuda/CUDAException.h",
    "C10_CUDA_CHECK": "c10/cuda/CUDAException.h",
    "AT_CUDA_CHECK": "ATen/cuda/Exceptions.h",
    "CUDAGuard": "c10/cuda/CUDAGuard.h",
    "OptionalCUDAGuard": "c10/cuda/CUDAGuard.h",
    "CUDAStreamGuard": "c10/cuda/CUDAGuard.h",
    "CUDAStream": "c10/cuda/CUDAStream.h",
    "opmath_type": "ATen/OpMathType.h",
    "acc_type": "ATen/AccumulateType.h",
    "gpuAtomicAdd": "ATen/cuda/Atomic.cuh",
    "TORCH_CUDABLAS_CHECK": "ATen/cuda/Exceptions.h",
    "cudaStream_t": "cuda_runtime.h",
    "cudaError_t": "cuda_runtime.h",
    "ceil_div": "ATen/ceil_div.h",
    "__half": "cuda_fp16.h",
    "__half2": "cuda_fp16.h",
    "half": "cuda_fp16.h",
    "half2": "cuda_fp16.h",
    "__hadd": "cuda_fp16.h",
    "__hmul": "cuda_fp16.h",
    "__float2half": "cuda_fp16.h",
    "__half2float": "cuda_fp16.h",
    "__hadd2": "cuda_fp16.h",
    "__hmul2": "cuda_fp16.h",
    "__hfma": "cuda_fp16.h",
    "__hfma2": "cuda_fp16.h",
    "__float2half_rn": "cuda_fp16.h",
    "__float2half2_rn": "cuda_fp16.h",
    "__floats2half2_rn": "cuda_fp16.h",
    "__float22half2_rn": "cuda_fp16.h",
    "__half22float2": "cuda_fp16.h",
    "__halves2half2": "cuda_fp16.h",
    "hexp": "cuda_fp16.h",
    "h2exp": "cuda_fp16.h",
    "__nv_bfloat16": "cuda_bf16.h",
    "__nv_bfloat162": "cuda_bf16.h",
    "__float2bfloat16": "cuda_bf16.h",
    "nv_bfloat16": "cuda_bf16.h",
    "nv_bfloat162": "cuda_bf16.h",
    "__bfloat162float": "cuda_bf16.h",
    "__float2bfloat16_rn": "cuda_bf16.h",
    "__floats2bfloat162_rn": "cuda_bf16.h",
    "cub": "cub/cub.cuh",
    "numeric_limits": "limits",
    "cooperative_groups": "cooperative_groups.h",
    "wmma": "mma.h",
    "nvcuda": "mma.h",
    "curandStatePhilox4_32_10_t": "curand_kernel.h",
    "curandState": "curand_kernel.h",
    "CUDART_INF_F": "math_constants.h",
    "CUDART_INF": "math_constants.h",
    "CUDART_NAN_F": "math_constants.h",
    "CUDART_PI_F": "math_constants.h",
    "CUDART_MIN_DENORM_F": "math_constants.h",
    "M_PI": "cmath",
    "assert": "cassert",
    "FLT_MAX": "cfloat",
    "DBL_MAX": "cfloat",
    "FLT_MIN": "cfloat",
    "FLT_EPSILON": "cfloat",
    "UINT_MAX": "climits",
    "LLONG_MAX": "climits",
    "INT64_MAX": "cstdint",
    "INT_MAX": "climits",
    "INT_MIN": "climits",
}
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


def header_of(name: str, line: str) -> tuple[str, str] | None:
    """The name used and the header it needs; `line` is the line of the source that uses it."""
    short = name.split("::")[-1]
    if short in _HEADERS:
        return short, _HEADERS[short]
    if short in _OF_GROUPS and re.search(rf"\b(?:cg|cooperative_groups)\s*::\s*{short}\b", line):
        return f"cooperative_groups::{short}", _OF_GROUPS[short]
    if name in _NAMESPACES:
        for word in re.findall(r"\w+", line):
            if word in _HEADERS:
                return word, _HEADERS[word]
    return None
