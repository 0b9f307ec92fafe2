"""What is not covered is named with its line, before anything is compiled."""

from __future__ import annotations

import pytest

from kernelgate.emulator import Refused
from kernelgate.emulator.translate.ptx import rewrite_ptx
from kernelgate.emulator.translate.refusals import refuse_libraries, refuse_uncovered

UNCOVERED = {
    "thrust::device_vector<float> v;": "Thrust",
    "#include <cutlass/gemm/device/gemm.h>": "CUTLASS or CuTe",
    "cublasSgemm(h, n);": "cuBLAS",
    "cudnnCreate(&h);": "cuDNN",
    "cusparseCreate(&h);": "cuSPARSE, cuSOLVER or cuFFT",
    "auto grids = cg::this_multi_grid();": "groups of several devices",
    "auto i = CU_TENSOR_MAP_INTERLEAVE_16B;": "tensor maps that are interleaved or im2col",
    '#include "cub/device/device_reduce.cuh"': "CUB's device-wide algorithms",
    "cub::DeviceRadixSort::SortKeys(t, n, a, b, c);": "CUB's device-wide algorithms",
    "cub::BlockLoad<float, 128, 4> load;": "CUB (other than BlockReduce, BlockScan, BlockRadixSort, "
    "WarpReduce and WarpScan)",
    "Reduce(t).Reduce(x, cub::Max());": "cub::Sum, cub::Max and cub::Min, which CUDA 13 no longer has",
    "#include <cuda/semaphore>": "libcu++ PTX, flags, and barriers beyond a block's",
    "cuda::atomic_flag f;": "libcu++ PTX, flags, and barriers beyond a block's",
    "cuda::barrier<cuda::thread_scope_device> b;": "libcu++ PTX, flags, and barriers beyond a block's",
    "cuda::std::variant<int> t;": "libcu++ beyond its atomics, operators and small types",
    "curand_init(1, 2, 3, &s);": "cuRAND",
    "__nv_fp8_e4m3 x;": "FP8, FP6 or FP4",
    "cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, s, a, 0);": "a launch through the driver",
    "cudaGraphLaunch(g, s);": "the CUDA graph API",
    "texture<float, 2, cudaReadModeElementType> t;": "texture references, which CUDA 12 no longer has",
    "y[i] = tex2DGrad<float>(t, u, v, dx, dy);": "gradients of textures",
    "__managed__ int counter;": "managed variables and registered host memory",
    "cudaHostRegister(p, n, 0);": "managed variables and registered host memory",
    "cudaMemcpyPeer(a, 0, b, 1, n);": "access to other GPUs",
    "cudaEventElapsedTime(&ms, a, b);": "reading a clock (emulation has no time)",
}
NO_INSTRUCTION = {
    'asm volatile("tcgen05.fence::before_thread_sync;");': "tcgen05.fence::before_thread_sync",
    'asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" '
    ':: "l"(a), "r"(b), "r"(n));': "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32",
    'asm volatile("mbarrier.complete_tx.shared::cta.relaxed.cta.b64 [%0], %1;" :: "r"(a), "r"(n));': (
        "mbarrier.complete_tx.shared::cta.relaxed.cta.b64"
    ),
    'asm("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 1;" : "+f"(d[0]), '
    '"+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b));': (
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 with 1 as operand 7"
    ),
    'asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(x), "+d"(y) '
    ': "d"(a), "d"(b));': "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64",
    'asm volatile("bar.red.popc.u32 %0, 1, 64, p;" : "=r"(n));': "bar.red.popc.u32",
    'asm volatile("mov.u32 %0, %%clock;" : "=r"(t));': "operand %clock",
    "asm volatile(LOAD(2));": "put together by the preprocessor",
}


@pytest.mark.parametrize("line", NO_INSTRUCTION)
def test_an_instruction_that_is_not_covered_is_refused_by_name_and_line(line):
    with pytest.raises(Refused) as caught:
        rewrite_ptx(f"\n\n{line}\n")
    assert str(caught.value) == f"cannot be emulated: inline PTX ({NO_INSTRUCTION[line]}), line 3"


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
        "#include <cuda/pipeline>",
        "auto grid = cg::this_grid();",
        "cudaTextureObject_t texture = 0;",
        "namespace cg = cooperative_groups;",
        "#include <cub/block/block_reduce.cuh>",
        "Reduce(t).Reduce(x, cuda::maximum<>{});",
        "#include <cuda/functional>",
        "__nv_bfloat16 v = __nv_bfloat16(x);",
    ],
)
def test_what_only_looks_like_it_is_not_refused(source):
    refuse_uncovered(source, "cuda.cu")


def test_the_first_line_that_asks_is_named():
    with pytest.raises(Refused, match=r"Thrust, line 1"):
        refuse_uncovered("thrust::plus<int> q;\nthrust::plus<int> p;", "cuda.cu")


def test_libraries_of_compiled_device_code_are_refused():
    with pytest.raises(Refused, match="-lcublas"):
        refuse_libraries(["-O3", "-lcublas"])
    refuse_libraries(["-O3", ""])
