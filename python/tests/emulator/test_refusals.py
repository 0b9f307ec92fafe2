"""What is not covered is named with its line, before anything is compiled."""

from __future__ import annotations

import pytest

from kernelgate.emulator import Refused
from kernelgate.emulator.errors import CompileFailed, Diagnostic
from kernelgate.emulator.translate.lanes import blame
from kernelgate.emulator.translate.ptx import rewrite_ptx
from kernelgate.emulator.translate.refusals import refuse_libraries, refuse_uncovered, without_libraries
from kernelgate.emulator.translate.units import Sources

UNCOVERED = {
    "thrust::device_vector<float> v;": "Thrust",
    "using namespace cute;": "CUTLASS or CuTe",
    "cublasLtMatmul(h, n);": "cuBLAS, beyond its products of real numbers",
    "auto type = CUDA_R_8I;": "cuBLAS, beyond its products of real numbers",
    "#define CHECK(x) if ((x) != CUDNN_STATUS_SUCCESS) throw 1;\nvoid f() { CHECK(run()); }": "cuDNN",
    "cudnnCreate(&h);": "cuDNN",
    "cusparseCreate(&h);": "cuSPARSE, cuSOLVER or cuFFT",
    "auto grids = cg::this_multi_grid();": "groups of several devices",
    "auto i = CU_TENSOR_MAP_INTERLEAVE_16B;": "tensor maps that are interleaved or im2col",
    "cub::DeviceRadixSort::SortKeys(t, n, a, b, c);": "CUB's device-wide algorithms",
    "cub::BlockLoad<float, 128, 4> load;": "CUB (other than BlockReduce, BlockScan, BlockRadixSort, "
    "WarpReduce and WarpScan)",
    "Reduce(t).Reduce(x, cub::Max());": "cub::Sum, cub::Max and cub::Min, which CUDA 13 no longer has",
    "cuda::binary_semaphore<cuda::thread_scope_block> s;": "libcu++ PTX, flags, and barriers beyond a block's",
    "cuda::atomic_flag f;": "libcu++ PTX, flags, and barriers beyond a block's",
    "cuda::barrier<cuda::thread_scope_device> b;": "libcu++ PTX, flags, and barriers beyond a block's",
    "cuda::std::variant<int> t;": "libcu++ beyond its atomics, operators and small types",
    "curand_init(1, 2, 3, &s);": "cuRAND",
    "__nv_fp8_e8m0 x;": "FP8 beyond its conversions, FP6 or FP4",
    "cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, s, a, 0);": "a launch through the driver",
    "cudaGraphAddKernelNode(&n, g, 0, 0, &p);": "the CUDA graph API, beyond recording a stream",
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


def test_an_instruction_of_a_macro_that_nothing_expands_is_not_refused():
    source = '#define WAIT() asm volatile("cp.async.bulk.wait_all;")\n'
    assert rewrite_ptx(source) == source
    with pytest.raises(Refused, match=r"wait_all\), line 1"):
        rewrite_ptx(source + "void f() { WAIT(); }")


def test_the_parts_of_a_load_of_matrices_come_in_any_order():
    load = 'asm("ldmatrix.sync.aligned{} {{%0}}, [%1];" : "=r"(r) : "r"(a));'
    usual = rewrite_ptx(load.format(".m8n8.x1.trans.shared.b16"))
    assert "load_matrices<true>" in usual and rewrite_ptx(load.format(".x1.trans.m8n8.shared.b16")) == usual


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
        'TORCH_CHECK(n > 0, "cublasLtMatmul(");',
        "__nv_fp8_storage_t x = __nv_cvt_float_to_fp8(f, __NV_SATFINITE, __NV_E4M3);",
        "#include <cudnn.h>\n#include <cublasLt.h>\n#include <cuda_fp8.h>\n#include <cutlass/cutlass.h>",
        "#define CHECK_DNN(x) if ((x) != CUDNN_STATUS_SUCCESS) throw 1;",
        "struct Handles { cudnnHandle_t dnn; cublasHandle_t blas; };",
        "cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_T, m, n, k, &alpha, a, m, b, n, &beta, c, m);",
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


def test_libraries_other_than_those_of_cuda_and_torch_are_refused():
    with pytest.raises(Refused, match=r"linking -lgsl$"):
        refuse_libraries(["-O3", "-lcublas", "-lgsl"])
    refuse_libraries(["-O3", "", "-lcublas", "-lcublasLt", "-lcudnn", "-lcuda", "-lnvrtc", "-lc10_cuda"])


def test_headers_of_libraries_are_taken_as_empty_and_their_handles_stay_declared():
    source = "#include <cudnn.h>\n#include <thrust/sort.h>\n#include <cublas_v2.h>\ncudnnHandle_t handle;\n"
    assert without_libraries(source) == (
        " typedef void* cudnnHandle_t;\n\n#include <cublas_v2.h>\ncudnnHandle_t handle;\n"
    )


def test_a_name_that_an_empty_header_would_have_brought_is_no_mistake_of_the_program():
    sources = Sources("x", "", "#include <thrust/sort.h>\nstd::vector<int> v;", None, implicit_headers=True)
    missing = Diagnostic("cuda.cu", 2, 6, "error", "'vector' is not a member of 'std'")
    blamed = blame([CompileFailed("x", "", (missing,))], sources)
    assert isinstance(blamed, Refused) and "Thrust (its headers are taken as empty" in str(blamed)
