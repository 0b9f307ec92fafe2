"""Linear, multiply and LeakyReLU as one product on tensor cores, at the accuracy of float32.

    layer = ModelNew(in_features, out_features, multiplier, negative_slope)
    y = layer(x)        # LeakyReLU(Linear(x) * multiplier); x (..., in_features), y (..., out_features)

Tensor cores multiply fp16, which has 11 bits of significand; float32 has 24. So every number is split into two fp16
numbers, v = hi + lo, and x w = hi hi + hi lo + lo hi takes three products instead of one; lo lo is below the
rounding of float32. A tensor core cuts off where it adds, so its sums are kept short: every 16 or 64 terms they are
added to a float32 sum that is rounded. Rows are scaled by powers of two, because fp16 has a narrow range. Where that
range does not suffice (`enough_bits`, decided on the device), and for Inf and NaN, plain float32 arithmetic is used.

float32 CUDA tensors take this way, also under torch.compile, torch.export, autograd and in CUDA graphs. Everything
else (CPU, other dtypes, autocast, tracing) runs PyTorch's linear and leaky_relu. Built on first use.

The split of the weight, as large as the weight, is kept between calls and made anew when the weight changes.
`ModelNew.keep_split = False` splits in every call instead; so does a captured CUDA graph in every replay.
KERNELGATE_GEMM_PATH=mma in the environment takes the kernel of the A100 (mma.sync) also on an H100 or H200 (wgmma).
Needs torch and a CUDA toolchain, nothing else.
"""

import functools
import hashlib
import inspect
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.cpp_extension import load_inline

# What the two halves of the program, C++ for PyTorch and CUDA without PyTorch, know of each other.
INTERFACE = source("interface.h")

CPP_SOURCE = source("host.cpp")

# Splitting, and what all products share.
CUDA_SPLIT = source("split.cuh")

# Plain float32: the tiles that the split cannot serve.
CUDA_FULL_RANGE = source("full_range.cuh")

# Few rows: bound by reading w once.
CUDA_FEW_ROWS = source("few_rows.cuh")

# The split product for every tensor core since the A100.
CUDA_MMA = source("mma.cuh")

# The split product for Hopper (sm_90a): TMA brings the lines, wgmma multiplies them where they lie.
CUDA_WGMMA = source("wgmma.cuh")

# Queueing a kernel that begins with wait_for_previous: plainly, and on Hopper set up while the one before it ends.
CUDA_NEXT = source("next.cuh")
CUDA_NEXT_EARLY = source("next_early.cuh")

# The branch of the activation at each output, for the gradient: 1/32 of the memory of y.
CUDA_SIGNS = source("signs.cuh")

# Choosing and launching.
CUDA_LAUNCH = source("launch.cu")


def _build_plan() -> tuple[list[str], list[str]]:
    """The CUDA sources and nvcc's flags for the devices of this process."""
    flags = ["-O3"]
    chosen = os.environ.get("TORCH_CUDA_ARCH_LIST")  # PyTorch turns it into flags itself
    capabilities = {torch.cuda.get_device_capability(i) for i in range(torch.cuda.device_count())}
    path = os.environ.get("KERNELGATE_GEMM_PATH", "")
    if path not in ("", "mma", "wgmma"):
        raise ValueError(f"KERNELGATE_GEMM_PATH is {path!r}; it can be mma, wgmma, or unset")
    wgmma = path != "mma" and ("9.0a" in chosen if chosen else (9, 0) in capabilities)
    # What only runs on an H100 or H200 always takes wgmma there, and nvcc takes a fifth less time without the other.
    mma = not wgmma or (chosen != "9.0a" if chosen else len(capabilities) > 1)
    if path == "mma":
        flags.append("-gencode=arch=compute_80,code=compute_80")
    elif not chosen:
        for major, minor in sorted(capabilities):
            arch = f"{major}{minor}" + ("a" if (major, minor) == (9, 0) else "")
            flags.append(f"-gencode=arch=compute_{arch},code=sm_{arch}")
    kernels = [CUDA_SPLIT, CUDA_FULL_RANGE, CUDA_FEW_ROWS, CUDA_SIGNS]
    if mma:
        flags.append("-DWITH_MMA")
        kernels.append(CUDA_MMA)
    if wgmma:
        flags.append("-DWITH_WGMMA")
        kernels.append(CUDA_WGMMA)
    kernels.append(CUDA_NEXT_EARLY if wgmma else CUDA_NEXT)
    return [INTERFACE, *kernels, CUDA_LAUNCH], flags


@torch.compiler.assume_constant_result
def _operators() -> str:
    """The namespace of the operators, which are built at the first call; torch.compile calls it while it traces."""
    return _registered()


@functools.lru_cache(maxsize=1)
def _registered() -> str:
    """Builds and registers the operators, once a process."""
    cuda_sources, cuda_flags = _build_plan()
    text = "\0".join([INTERFACE, CPP_SOURCE, *cuda_sources, *cuda_flags])
    name = "kernelgate_gemm_" + hashlib.sha256(text.encode()).hexdigest()[:12]
    if hasattr(getattr(torch.ops, name), "linear_scale_leaky_relu"):
        return name  # inserted twice: the same sources are registered already
    # PyTorch before 2.8 always includes torch/extension.h: the build then takes half a minute, not seconds.
    slim = "no_implicit_headers" in inspect.signature(load_inline).parameters
    load_inline(
        name=name,
        cpp_sources=[INTERFACE, CPP_SOURCE],
        cuda_sources=cuda_sources,
        # In KiB: g++ then collects no garbage, which takes a tenth of its time.
        extra_cflags=["-O1", "--param", "ggc-min-heapsize=2097152"],
        extra_cuda_cflags=cuda_flags,
        is_python_module=False,
        **({"no_implicit_headers": True} if slim else {}),
    )
    torch.library.register_fake(f"{name}::linear_scale_leaky_relu", _shape_of_result)
    torch.library.register_fake(f"{name}::signs_of", _shape_of_signs)
    torch.library.register_fake(f"{name}::by_signs", _shape_of_upstream)
    return name


def _shape_of_result(x, weight, bias, multiplier, negative_slope, keep_split):
    return x.new_empty((*x.shape[:-1], weight.shape[0]))


def _shape_of_signs(y):
    return y.new_empty((y.numel() + 31) // 32, dtype=torch.int32)


def _shape_of_upstream(upstream, signs, negative_slope):
    return upstream.new_empty(upstream.shape)


class ModelNew(nn.Module):
    """Linear, multiply, LeakyReLU; parameters and state_dict as the module it replaces."""

    keep_split = True
    """Whether the split of the weight is kept between calls: as much memory again as the weight has."""

    def __init__(self, in_features: int, out_features: int, multiplier: float, negative_slope: float):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.multiplier = multiplier
        self.negative_slope = negative_slope

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not self._fits(x):
            return F.leaky_relu(self.gemm(x) * self.multiplier, self.negative_slope)
        operators = getattr(torch.ops, _operators())
        return operators.linear_scale_leaky_relu(
            x, self.gemm.weight, self.gemm.bias, self.multiplier, self.negative_slope, self.keep_split
        )

    def _fits(self, x: torch.Tensor) -> bool:
        weight = self.gemm.weight
        return (
            x.is_cuda
            and weight.device == x.device
            and x.dtype == weight.dtype == torch.float32
            and x.dim() >= 1
            and x.shape[-1] == weight.shape[1] > 0
            and self.negative_slope >= 0
            and not torch.is_autocast_enabled("cuda")
            and not torch.jit.is_tracing()
        )
