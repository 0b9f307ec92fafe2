"""What emulation does not cover, found and named before anything is compiled.

In: source text. Out: nothing, or `Refused` with the first line that asks for it. A refusal is no verdict.
Widening the emulator means taking a row out of the table.
"""

from __future__ import annotations

import re

from .errors import Refused
from .lexer import blank, line_of

# What it is, as the person is told; what shows it.
_TABLE: tuple[tuple[str, str], ...] = (
    ("WMMA (nvcuda::wmma)", r"<mma\.h>|\bnvcuda\b|\bwmma::"),
    ("CUB", r"<cub/|\bcub::"),
    ("Thrust", r"<thrust/|\bthrust::"),
    ("CUTLASS or CuTe", r"<cutlass/|<cute/|\bcutlass::|\bcute::"),
    ("cuBLAS", r"<cublas|\bcublas[A-Z]\w*\s*\(|\bgetCurrentCUDABlas\w*"),
    ("cuDNN", r"<cudnn|\bcudnn[A-Z]\w*\s*\("),
    ("cuSPARSE, cuSOLVER or cuFFT", r"<cu(?:sparse|solver|fft)|\bcu(?:sparse|solver|fft)[A-Z]\w*\s*\("),
    ("NCCL or NVSHMEM", r"<nccl|<nvshmem|\bnccl[A-Z]\w*\s*\("),
    ("cooperative groups", r"<cooperative_groups|\bcooperative_groups\b"),
    ("libcu++", r"<cuda/|\bcuda::(?:std|barrier|pipeline|atomic\w*|memcpy_async|ptx)\b"),
    ("cp.async intrinsics", r"<cuda_pipeline|\b__pipeline_\w+"),
    ("cuRAND", r"<curand|\bcurand\w*\s*\(|\bcurandState\w*"),
    ("FP8, FP6 or FP4", r"<cuda_fp[864]|\b__nv_fp[864]\w*|\bFloat8_\w+"),
    (
        "a launch through the driver or by cudaLaunchKernel",
        r"\bcudaLaunch(?:Kernel\w*|CooperativeKernel\w*)\b|\bcu(?:Launch|Module|Ctx)[A-Z]\w*\s*\(",
    ),
    ("the CUDA graph API", r"\bcudaGraph\w+|\bcudaStream(?:Begin|End)Capture\b|\bCUDAGraph\b"),
    ("thread block clusters", r"\b__cluster_dims__\b|\bcudaLaunchAttribute\w*"),
    ("textures and surfaces", r"\bcudaTextureObject_t\b|\bcudaSurfaceObject_t\b|\btex[123]D\w*\s*[<(]"),
    ("managed and host memory", r"\bcudaMallocManaged\b|\bcudaMallocHost\b|\bcudaHost\w+\s*\("),
    (
        "reading a clock (emulation has no time)",
        r"\bclock64\s*\(|(?<![\w.:>])clock\s*\(\s*\)|\bcudaEventElapsedTime\b|\bglobaltimer\b|\b__nanosleep\b",
    ),
    ("TORCH_LIBRARY", r"\bTORCH_LIBRARY\w*|\btorch::Library\b|<torch/library\.h>"),
    ("autograd, modules or optimizers in C++", r"\btorch::(?:autograd|nn|optim|jit|data)\b"),
    ("at::parallel_for", r"\bat::parallel_\w+"),
    ("tensor accessors", r"\bpacked_accessor\w*|\bPackedTensorAccessor\w*|(?:\.|->)accessor\s*<"),
)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[^\n]*", re.MULTILINE)


def refuse_uncovered(source: str, unit: str) -> None:
    """Raises Refused when `source` asks for something that emulation does not cover."""
    blanked = blank(source)
    # A quoted include is blanked as any string; its name matters here.
    visible = _INCLUDE.sub(lambda m: source[m.start() : m.end()].replace('"', "<", 1), blanked)
    found = [(m.start(), what) for what, pattern in _TABLE if (m := re.search(pattern, visible))]
    if found:
        position, what = min(found)
        raise Refused(what, unit, line_of(source, position))


def refuse_flags(extra_ldflags: list[str], extra_include_paths: list[str]) -> None:
    """Raises Refused for libraries or headers of the user's own, which no cache key covers."""
    libraries = [flag for flag in extra_ldflags if flag.startswith("-l")]
    if libraries:
        raise Refused(f"linking {' '.join(libraries)}")
    if any(extra_include_paths):
        raise Refused("extra_include_paths (headers of your own)")
