"""What is not covered is named with its line, before anything is compiled."""

from __future__ import annotations

import pytest

from kernelgate.emulator import Refused
from kernelgate.emulator.refusals import refuse_flags, refuse_uncovered

UNCOVERED = {
    "#include <mma.h>": "WMMA (nvcuda::wmma)",
    "#include <cub/cub.cuh>": "CUB",
    "thrust::device_vector<float> v;": "Thrust",
    "#include <cutlass/gemm/device/gemm.h>": "CUTLASS or CuTe",
    "cublasSgemm(h, n);": "cuBLAS",
    "cudnnCreate(&h);": "cuDNN",
    "#include <cooperative_groups.h>": "cooperative groups",
    '#include "cooperative_groups.h"': "cooperative groups",
    "#include <cuda/barrier>": "libcu++",
    "__pipeline_commit();": "cp.async intrinsics",
    "curand_init(1, 2, 3, &s);": "cuRAND",
    "__nv_fp8_e4m3 x;": "FP8, FP6 or FP4",
    "cudaLaunchKernel(f, g, b, a, 0, s);": "a launch through the driver or by cudaLaunchKernel",
    "cudaGraphLaunch(g, s);": "the CUDA graph API",
    "TORCH_LIBRARY(my, m) {}": "TORCH_LIBRARY",
    "cudaEventElapsedTime(&ms, a, b);": "reading a clock (emulation has no time)",
    'asm volatile("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));': "inline PTX (ex2.approx.f32)",
}


@pytest.mark.parametrize("line", UNCOVERED)
def test_what_is_not_covered_is_refused_by_name_and_line(line):
    with pytest.raises(Refused) as caught:
        refuse_uncovered(f"\n\n{line}\n", "cuda.cu")
    assert str(caught.value) == f"cannot be emulated: {UNCOVERED[line]}, line 3"
    assert (caught.value.unit, caught.value.line) == ("cuda.cu", 3)


@pytest.mark.parametrize(
    "source",
    [
        "// thrust::sort would do",
        'TORCH_CHECK(n > 0, "cublasSgemm(");',
        "#include <ATen/cuda/CUDAContext.h>",
        "auto stream = at::cuda::getCurrentCUDAStream();",
        "timer.clock();",
    ],
)
def test_what_only_looks_like_it_is_not_refused(source):
    refuse_uncovered(source, "cuda.cu")


def test_the_first_line_that_asks_is_told():
    with pytest.raises(Refused, match=r"CUB, line 1"):
        refuse_uncovered("cub::Sum s;\nthrust::plus<int> p;", "cuda.cu")


def test_libraries_and_headers_of_the_users_own_are_refused():
    with pytest.raises(Refused, match="-lcublas"):
        refuse_flags(["-O3", "-lcublas"], [])
    with pytest.raises(Refused, match="extra_include_paths"):
        refuse_flags([], ["/some/where"])
    refuse_flags(["-O3", ""], [""])
