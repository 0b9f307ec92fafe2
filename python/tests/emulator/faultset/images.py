"""Textures and surfaces that lead nowhere, or further than they are; and the barrier of a grid."""

from __future__ import annotations

from .case import Case

_HEADERS = """#include <cooperative_groups.h>
"""
_ARRAY = """cudaArray_t a; cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
cudaMallocArray(&a, &d, 32, 32, cudaArraySurfaceLoadStore);
cudaMemcpy2DToArray(a, 0, 0, x.data_ptr<float>(), 128, 128, 32, cudaMemcpyDeviceToDevice);
cudaResourceDesc r{}; r.resType = cudaResourceTypeArray; r.res.array.array = a;
"""
_TEXTURE = _ARRAY + "cudaTextureDesc td{}; cudaTextureObject_t o = 0; cudaCreateTextureObject(&o, &r, &td, nullptr);\n"
_SURFACE = _ARRAY + "cudaSurfaceObject_t o = 0; cudaCreateSurfaceObject(&o, &r);\n"
_LAUNCH = "k<<<4, 256>>>(o, x.data_ptr<float>(), y.data_ptr<float>(), n);"
_INDEX = "(unsigned long long o, const float* x, float* y, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
_SAMPLE = f"__global__ void k{_INDEX}  if (i < n)\n    y[i] = tex2D<float>(o, i % 32, i / 32);  //!\n}}"
_GRID = "__global__ void k(const float* x, float* y, int n) {\n  auto grid = cooperative_groups::this_grid();\n"
_GRID += "  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;\n"


def _cooperative(name: str) -> str:
    """The launch of a kernel in the name of its case."""
    arguments = "const float* p = x.data_ptr<float>(); float* q = y.data_ptr<float>(); void* args[] = {&p, &q, &n};\n"
    return f"{arguments}cudaLaunchCooperativeKernel((void*){name}, dim3(4), dim3(256), args, 0, 0);"


CASES = [
    Case(
        "texture_destroyed",
        "texture",
        _SAMPLE,
        (("cudaDestroyTextureObject(o);\n", ""),),
        launch=f"{_TEXTURE}cudaDestroyTextureObject(o);\n{_LAUNCH}",
        n=1024,
    ),
    Case(
        "texture_of_a_freed_array",
        "texture",
        _SAMPLE,
        (("cudaFreeArray(a);\n", ""),),
        launch=f"{_TEXTURE}cudaFreeArray(a);\n{_LAUNCH}",
        n=1024,
    ),
    Case(
        "texture_of_integers",
        "texture",
        _SAMPLE,
        (("Desc<int>", "Desc<float>"),),
        launch=_TEXTURE.replace("Desc<float>", "Desc<int>") + _LAUNCH,
        n=1024,
    ),
    Case(
        "array_half_copied",
        "uninitialised",
        _SAMPLE,
        (("128, 128, 16,", "128, 128, 32,"),),
        launch=_TEXTURE.replace("128, 128, 32,", "128, 128, 16,") + _LAUNCH,
        n=1024,
    ),
    Case(
        "texture_past_its_memory",
        "out_of_bounds",
        f"__global__ void k{_INDEX}  if (i < n)\n    y[i] = tex1Dfetch<float>(o, i + 1);  //!\n}}",
        (("(o, i + 1)", "(o, i)"),),
        launch="cudaResourceDesc r{}; r.resType = cudaResourceTypeLinear; r.res.linear.devPtr = x.data_ptr<float>();\n"
        "r.res.linear.desc = cudaCreateChannelDesc<float>(); r.res.linear.sizeInBytes = 8 * n;\n"
        "cudaTextureDesc td{}; cudaTextureObject_t o = 0; cudaCreateTextureObject(&o, &r, &td, nullptr);\n" + _LAUNCH,
        n=1024,
    ),
    Case(
        "surface_in_elements",
        "texture",
        f"__global__ void k{_INDEX}  if (i >= n) return;\n  y[i] = x[i];\n"
        "  surf2Dwrite(x[i], o, i % 32, i / 32);  //!\n}",
        (("i % 32, i", "i % 32 * 4, i"),),
        launch=_SURFACE + _LAUNCH,
        n=1024,
    ),
    Case(
        "surface_past_its_row",
        "surface",
        f"__global__ void k{_INDEX}  if (i >= n) return;\n  y[i] = x[i];\n"
        "  surf2Dwrite(x[i], o, (i % 32 + 1) * 4, i / 32);  //!\n}",
        (("(i % 32 + 1)", "(i % 32)"),),
        launch=_SURFACE + _LAUNCH,
        n=1024,
    ),
    Case(
        "grid_not_cooperative",
        "grid_barrier",
        f"{_GRID}  y[i] = x[i];\n  grid.sync();  //!\n  if (i == 0) y[n - 1] = y[1];\n}}",
        (("k<<<4, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);", _cooperative("grid_not_cooperative")),),
        launch="k<<<4, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);",
        n=1024,
        helpers=_HEADERS,
    ),
    Case(
        "grid_sync_left_out",
        "race",
        f"{_GRID}  if (t == 0)\n    y[blockIdx.x] = x[i];  //!\n  if (t == 0) grid.num_blocks();\n"
        "  if (i > 3 && i < n)\n    y[i] = y[i % 4];  //!other\n}",
        (("  if (t == 0) grid.num_blocks();", "  grid.sync();"),),
        launch=_cooperative("grid_sync_left_out"),
        n=1024,
        helpers=_HEADERS,
    ),
    Case(
        "grid_sync_by_some_blocks",
        "grid_barrier",
        f"{_GRID}  y[i] = x[i];\n  if (blockIdx.x < 2)\n    grid.sync();  //!\n}}",
        (("blockIdx.x < 2", "blockIdx.x < 4"),),
        launch=_cooperative("grid_sync_by_some_blocks"),
        n=1024,
        helpers=_HEADERS,
    ),
]
