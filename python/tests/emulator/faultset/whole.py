"""Faults as they stand in kernels that do something: reductions, tiles, stencils, double buffers."""

from __future__ import annotations

from .case import Case

_COPIES = "#include <cuda_pipeline_primitives.h>\n"
_DOUBLE_BUFFER = """__global__ void k(const float* x, float* y, int n) {
  __shared__ float stage[2][64];
  int t = threadIdx.x, rounds = n / 64;
  float sum = 0;
  __pipeline_memcpy_async(&stage[0][t], x + t, 4);
  __pipeline_commit();
  for (int r = 0; r < rounds; r++) {
    if (r + 1 < rounds) __pipeline_memcpy_async(&stage[(r + 1) % 2][t], x + (r + 1) * 64 + t, 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += stage[r % 2][63 - t];
    __syncthreads();
  }
  for (int i = t; i < n; i += 64) y[i] = sum;
}"""
_ONE_BLOCK = "k<<<1, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);"

CASES = [
    Case(
        "warp_sums",
        "race",
        "  __shared__ float sums[8];\n  float v = i < n ? x[i] : 0;\n"
        "  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);\n"
        "  if (t % 32 == 0) sums[t / 32] = v;  //!\n"
        "  if (t < 32) {\n    float s = t < 8 ? sums[t] : 0;  //!other\n"
        "    for (int o = 4; o > 0; o /= 2) s += __shfl_down_sync(0xffffffffu, s, o);\n"
        "    if (t == 0) sums[0] = s;\n  }\n  __syncthreads();\n  if (i < n) y[i] = sums[0];\n}",
        (("  if (t < 32) {", "  __syncthreads();\n  if (t < 32) {"),),
    ),
    Case(
        "tiles_in_a_loop",
        "race",
        "__global__ void k(const float* x, float* y, int n) {\n"
        "  __shared__ float a[16][17], b[16][17];\n  int c = threadIdx.x, r = threadIdx.y;\n  float sum = 0;\n"
        "  for (int k0 = 0; k0 < 32; k0 += 16) {\n"
        "    b[r][c] = x[512 + (k0 + r) * 16 + c];\n    a[r][c] = x[r * 32 + k0 + c];  //!\n"
        "    __syncthreads();\n"
        "    for (int k1 = 0; k1 < 16; k1++) sum += a[r][k1] * b[k1][c];  //!other\n  }\n"
        "  for (int i = r * 16 + c; i < n; i += 256) y[i] = sum;\n}",
        (("* b[k1][c];", "* b[k1][c];\n    __syncthreads();"),),
        launch="k<<<1, dim3(16, 16)>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);",
        n=1024,
    ),
    Case(
        "all_lanes_after_return",
        "absent_lane",
        "  if (i >= n) return;\n  float v = x[i];\n"
        "  for (int o = 16; o > 0; o /= 2)\n    v += __shfl_xor_sync(__activemask(), v, o);  //!\n  y[i] = v;\n}",
        (
            ("  if (i >= n) return;\n  float v = x[i];", "  float v = i < n ? x[i] : 0;"),
            ("  y[i] = v;", "  if (i < n) y[i] = v;"),
            ("__activemask()", "0xffffffffu"),
        ),
    ),
    Case(
        "stencil_in_the_last_block",
        "out_of_bounds",
        "  __shared__ float s[258];\n  s[t + 1] = i < n ? x[i] : 0;\n"
        "  if (t == 0) s[0] = i > 0 ? x[i - 1] : 0;\n"
        "  if (t == 255) s[257] = i < n ? x[i + 1] : 0;  //!\n"
        "  __syncthreads();\n  if (i < n) y[i] = s[t] + s[t + 1] + s[t + 2];\n}",
        (("i < n ? x[i + 1]", "i + 1 < n ? x[i + 1]"),),
        "x[1024]",
        n=1024,
    ),
    Case(
        "odd_row_pitch",
        "misaligned",
        "__global__ void k(const float* x, float* y, int n) {\n"
        "  int pitch = 33, r = threadIdx.x / 8, c = threadIdx.x % 8 * 4;\n"
        "  float4 v = *reinterpret_cast<const float4*>(x + r * pitch + c);  //!\n"
        "  *reinterpret_cast<float4*>(y + r * 32 + c) = v;\n}",
        (("pitch = 33", "pitch = 32"),),
        launch="k<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);",
        n=1024,
    ),
    Case(
        "tile_of_the_tail",
        "uninitialised",
        "  __shared__ float s[256];\n  if (i < n) s[t] = x[i];\n  __syncthreads();\n  float sum = 0;\n"
        "  for (int j = 0; j < 256; j++)\n    sum += s[j];  //!\n  if (i < n) y[i] = sum;\n}",
        (("if (i < n) s[t] = x[i]", "s[t] = i < n ? x[i] : 0"),),
    ),
    Case(
        "double_buffer",
        "race",
        _DOUBLE_BUFFER.replace("+ t, 4);\n    __pipeline", "+ t, 4);  //!\n    __pipeline").replace(
            "[63 - t];\n    __syncthreads();", "[63 - t];  //!other"
        ),
        (("[63 - t];", "[63 - t];\n    __syncthreads();"),),
        launch=_ONE_BLOCK,
        n=1024,
        check=False,
        helpers=_COPIES,
    ),
    Case(
        "waits_for_too_few",
        "uninitialised",
        _DOUBLE_BUFFER.replace("wait_prior(1)", "wait_prior(2)").replace("[63 - t];", "[63 - t];  //!"),
        (("wait_prior(2)", "wait_prior(1)"),),
        launch=_ONE_BLOCK,
        n=1024,
        helpers=_COPIES,
    ),
    Case(
        "count_cleared_late",
        "race",
        "  __shared__ int count;\n  if (t == 0) count = 0;  //!\n"
        "  if (i < n && x[i] > 0) atomicAdd(&count, 1);  //!other\n"
        "  __syncthreads();\n  if (i < n) y[i] = count;\n}",
        (("count = 0;", "count = 0; __syncthreads();"),),
        "count",
    ),
    Case(
        "stride_that_overflows",
        "out_of_bounds",
        "__global__ void k(const float* x, float* y, int n, int step) {\n"
        "  int first = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  for (int i = first; i < n; i += step)  //!other\n    y[i] = x[i];  //!\n}",
        (("int n, int step", "long n, int step"), ("for (int i", "for (long i")),
        launch="k<<<4, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n, 0x7ffffe00);",
    ),
]
