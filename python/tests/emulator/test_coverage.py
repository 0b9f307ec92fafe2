"""docs/emulation-coverage.md says what the code does."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import in_worker, load_inline

from kernelgate.emulator import Refused, build_extension
from kernelgate.emulator.translate.refusals import TABLE, refuse_uncovered

pytestmark = pytest.mark.drawn

DOCUMENT = (Path(__file__).parents[3] / "docs" / "emulation-coverage.md").read_text()
REFUSED = DOCUMENT.split("## Refused")[1].split("## ")[0]

# What the first table names, by a line that needs it, with its header.
COVERED = {
    "cooperative groups": (
        "cooperative_groups.h",
        "auto b = cooperative_groups::this_thread_block(); b.sync();",
    ),
    "WMMA": ("mma.h", "nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> f;"),
    "BlockReduce": ("cub/cub.cuh", "__shared__ cub::BlockReduce<int, 32>::TempStorage s;"),
    "BlockRadixSort": ("cub/cub.cuh", "__shared__ cub::BlockRadixSort<int, 32, 2>::TempStorage s;"),
    "`__pipeline_*`": ("cuda_pipeline.h", "__pipeline_commit(); __pipeline_wait_prior(0);"),
    "`cp.async`": ("cuda_runtime.h", 'asm volatile("cp.async.commit_group;");'),
    "atomics of": (
        "cuda_runtime.h",
        "extern __shared__ unsigned rows[][4]; atomicInc_system(&rows[1][2], 7u); atomicDec_block(&rows[1][2], 7u);",
    ),
    "clusters": (
        "cooperative_groups.h",
        "auto c = cooperative_groups::this_cluster(); __shared__ int s; *c.map_shared_rank(&s, 0) = 1; c.sync();",
    ),
    "textures and surfaces": (
        "cuda_runtime.h",
        "surf3Dwrite(tex3DLod<float4>(cudaTextureObject_t{}, .1f, .2f, .3f, 1), cudaSurfaceObject_t{}, 16, 0, 0);",
    ),
    "cooperative grids": ("cooperative_groups.h", "cooperative_groups::this_grid().sync();"),
    "libcu++": (
        "cuda/pipeline",
        "__shared__ cuda::barrier<cuda::thread_scope_block> b; init(&b, 32); b.arrive_and_wait();"
        " auto p = cuda::make_pipeline(); p.producer_commit(); p.consumer_wait();",
    ),
    "bytes within a word": (
        "cuda_runtime.h",
        'unsigned d; asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(d) : "r"(1u), "r"(2u), "r"(3u));',
    ),
    "`clock()`": ("cuda_runtime.h", "for (long long t = clock64(); clock() - t < 1000;) {}"),
    "setmaxnreg": ("cuda_runtime.h", 'asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");'),
    "cuBLAS: products": ("cublas_v2.h", "} void g(cublasHandle_t h) { cublasSetStream(h, 0);"),
    "bfloat16": ("cuda_bf16.h", "__nv_bfloat162 p = __float2bfloat162_rn(1.0f);"),
}


@pytest.mark.parametrize("what", COVERED)
def test_what_the_document_calls_covered_builds(cache, what):
    assert what in DOCUMENT.split("## Refused")[0]
    header, statement = COVERED[what]
    build_extension(
        "covered",
        "void f() {}",
        f"#include <{header}>\n__global__ void k() {{ {statement} }}",
        "f",
        cache=cache,
    )


# Functions of the host, each with what it has given: 1 where it is as it should be.
HOST_FUNCTIONS = {
    "`cudaLaunchHostFunc`": "int done = 0; cudaLaunchHostFunc(0, [](void* d) { ++*(int*)d; }, &done); return done;",
    "`cudaStreamAddCallback`": (
        "int done = 0; cudaStreamAddCallback(0, [](cudaStream_t, cudaError_t error, void* d)"
        " { *(int*)d = error == cudaSuccess; }, &done, 0); return done;"
    ),
    "`cudaFuncGetAttributes`": (
        "cudaFuncAttributes a; cudaFuncGetAttributes(&a, k); return a.maxThreadsPerBlock == 1024;"
    ),
    "as many as a device of 4 multiprocessors holds": (
        "int of_32 = 0, of_72 = 0; cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_32, k, 32, 0);"
        " cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_72, k, 72, 0); return of_32 == 32 && of_72 == 21;"
    ),
    "versions": "int v = 0; cudaRuntimeGetVersion(&v); return v == CUDART_VERSION;",
    "`cudaMallocManaged`": (
        "const float* p = nullptr; cudaMalloc(&p, 4); cudaMemLocation at{cudaMemLocationTypeHost, 0};"
        " return p && cudaMemAdvise(p, 4, cudaMemAdviseSetReadMostly, at) == cudaSuccess &&"
        " cudaMemPrefetchAsync(p, 4, at, 0) == cudaSuccess;"
    ),
    "flags": "return cudaSetDeviceFlags(cudaDeviceMapHost) == cudaSuccess;",
    "attributes of the device": (
        "int mode = 9, rate = 0; cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, 0);"
        " cudaDeviceGetAttribute(&rate, cudaDevAttrClockRate, 0); return mode == cudaComputeModeDefault && rate > 0;"
    ),
    "default memory pools": "cudaMemPool_t pool; return cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess;",
    "the L2 cache's access policy": (
        "cudaStreamAttrValue v{}; v.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;"
        " return cudaStreamSetAttribute(0, cudaStreamAttributeAccessPolicyWindow, &v) == cudaSuccess;"
    ),
    "`cuda_profiler_api.h`": "return cudaProfilerStart() == cudaSuccess && cudaProfilerStop() == cudaSuccess;",
}


def test_host_functions_that_the_document_names_are_there(cache):
    assert all(what in DOCUMENT.split("## Refused")[0] for what in HOST_FUNCTIONS)
    bodies = [f"int f{n}() {{ {body} }}" for n, body in enumerate(HOST_FUNCTIONS.values())]
    names = [f"f{n}" for n in range(len(bodies))]
    asked = "#if !defined(__CUDA_RUNTIME_H__) || !defined(__DRIVER_TYPES_H__)\n#error not as CUDA's own headers\n#endif"
    first = ["#include <torch/extension.h>", "#include <cuda_profiler_api.h>", asked, "__global__ void k() {}"]
    cuda = "\n".join([*first, *bodies])

    def body(emulation):
        with emulation.active():
            module = load_inline("host", "\n".join(f"int {n}();" for n in names), cuda, functions=names)
            return [getattr(module, name)() for name in names]

    assert in_worker(cache, body).result() == [1] * len(names)


# Each row of the table of refusals, by a word of the document.
WORDS = {
    "Thrust": "Thrust",
    "CUTLASS": "CUTLASS",
    "cuBLAS": "cuBLAS beyond",
    "cuDNN": "cuDNN",
    "cuSPARSE": "cuSPARSE",
    "NCCL": "NCCL",
    "groups of several devices": "groups of several devices",
    "device-wide": "device-wide",
    "cuRAND": "cuRAND",
    "libcu++ PTX": "libcu++ PTX",
    "FP8": "FP8",
    "launch through the driver": "launches through the driver",
    "graph": "CUDA graphs",
    "gradients of textures": "gradients of textures",
    "texture references": "texture references",
    "managed": "managed",
    "other GPUs": "other GPUs",
    "clock": "clock",
    "tensor maps": "im2col",
}


def test_the_document_names_every_refusal():
    for word, in_document in WORDS.items():
        assert any(word in what for what, *_ in TABLE), word
        assert in_document in REFUSED, in_document
    # Two rows are the rest of a library that is covered in part.
    rest = [what for what, *_ in TABLE if not any(word in what for word in WORDS)]
    assert all(what.startswith(("CUB (other than", "cub::", "libcu++ beyond")) for what in rest), rest


@pytest.mark.parametrize(
    "line", ["thrust::sort(a, b);", "cudaGraphAddKernelNode(&n, g, 0, 0, &p);", "__managed__ int n;"]
)
def test_what_the_document_calls_refused_is(line):
    with pytest.raises(Refused):
        refuse_uncovered(line, "cuda.cu")
