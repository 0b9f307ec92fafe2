"""Reads of memory that nothing has written."""

from .case import Case

CASES = [
    Case(
        "shared_first",
        "uninitialised",
        "  __shared__ float s[256];\n  if (t) s[t] = i < n ? x[i] : 0;\n  __syncthreads();\n"
        "  if (i < n) y[i] = s[t];  //!\n}",
        (("if (t) ", ""),),
        "s[0]",
    ),
    Case(
        "shared_tail",
        "uninitialised",
        "  __shared__ float s[256];\n  if (i < n) s[t] = x[i];\n  __syncthreads();\n"
        "  for (int o = 128; o > 0; o /= 2) {\n    if (t < o)\n      s[t] += s[t + o];  //!\n"
        "    __syncthreads();\n  }\n"
        "  if (i < n) y[i] = s[0];\n}",
        (("if (i < n) s[t] = x[i];", "s[t] = i < n ? x[i] : 0;"),),
        "s[233]",
    ),
    Case(
        "shared_maximum",
        "uninitialised",
        "  __shared__ float s[256];\n  if (i < n) s[t] = x[i];\n  __syncthreads();\n"
        "  for (int o = 128; o > 0; o /= 2) {\n    if (t < o)\n      s[t] = fmaxf(s[t], s[t + o]);  //!\n"
        "    __syncthreads();\n  }\n  if (i < n) y[i] = s[0];\n}",
        (("if (i < n) s[t] = x[i];", "s[t] = i < n ? x[i] : -INFINITY;"),),
        "s[233]",
        check=False,
    ),
    Case(
        "halo",
        "uninitialised",
        "  __shared__ float s[258];\n  s[t + 1] = i < n ? x[i] : 0;\n  if (t == 0) s[0] = i ? x[i - 1] : 0;\n"
        "  __syncthreads();\n  if (i < n) y[i] = s[t] + s[t + 1] + s[t + 2];  //!\n}",
        (("if (t == 0)", "if (t == 255) s[257] = i + 1 < n ? x[i + 1] : 0;\n  if (t == 0)"),),
        "s[257]",
    ),
    Case(
        "half_shared",
        "uninitialised",
        "  __shared__ __half s[256];\n  if (t != 7) s[t] = __float2half(1.f);\n  __syncthreads();\n"
        "  if (i < n) y[i] = __half2float(s[t]);  //!\n}",
        (("if (t != 7) ", ""),),
        "s[7]",
    ),
    Case(
        "byte_shared",
        "uninitialised",
        "  __shared__ unsigned char s[256];\n  if (t != 7) s[t] = 1;\n  __syncthreads();\n"
        "  if (i < n) y[i] = s[t];  //!\n}",
        (("if (t != 7) ", ""),),
        "s[7]",
    ),
    Case(
        "accumulated_output",
        "uninitialised",
        "  if (i < n) y[i] += x[i];  //!\n}",
        (("k<<<", "y.zero_();\nk<<<"),),
        "y[0]",
    ),
    Case(
        "atomic_output",
        "uninitialised",
        "  if (i < n) atomicAdd(&y[i % 4], 1.f);  //!\n}",
        (("k<<<", "y.zero_();\nk<<<"),),
        "y[0]",
    ),
    Case(
        "scratch_hole",
        "uninitialised",
        "__global__ void k(const float* x, float* y, float* scratch, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n && i != 500) scratch[i] = x[i];\n"
        "  if (i < n) y[i] = scratch[i];  //!\n}",
        ((" && i != 500", ""),),
        "scratch[500]",
        launch="auto scratch = torch::empty_like(x);\n"
        "k<<<4, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), scratch.data_ptr<float>(), n);",
    ),
    Case(
        "half_scratch",
        "uninitialised",
        "__global__ void k(const float* x, float* y, __half* scratch, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < n && i / 8 != 3) scratch[i] = __float2half(1.f);\n"
        "  if (i < n) y[i] = __half2float(scratch[i]);  //!\n}",
        ((" && i / 8 != 3", ""),),
        "scratch[24]",
        launch="auto scratch = torch::empty({n}, x.options().dtype(torch::kHalf));\n"
        "k<<<4, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), (__half*)scratch.data_ptr<at::Half>(), n);",
    ),
    Case(
        "tile_corner",
        "uninitialised",
        "__global__ void k(const float* x, float* y, int n) {\n  __shared__ float s[18][18];\n"
        "  int c = threadIdx.x, r = threadIdx.y;\n  s[r + 1][c + 1] = x[r * 16 + c];\n"
        "  if (r == 0) s[0][c + 1] = s[17][c + 1] = 0;\n  if (c == 0) s[r + 1][0] = s[r + 1][17] = 0;\n"
        "  if (n < 0) s[0][0] = s[0][17] = s[17][0] = s[17][17] = 0;\n  __syncthreads();\n  float v = 0;\n"
        "  for (int a = 0; a < 9; a++)\n    v += s[r + a / 3][c + a % 3];  //!\n  y[r * 16 + c] = v;\n}",
        (("if (n < 0)", "if (r == 0 && c == 0)"),),
        "s[0][0]",
        launch="k<<<1, dim3(16, 16)>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);",
        n=256,
    ),
]
