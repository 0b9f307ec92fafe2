"""Accesses of the same bytes that nothing orders."""

from .case import Case

_TREE = """  __shared__ float s[256];
  s[t] = i < n ? x[i] : 0;
  __syncthreads();
"""
CASES = [
    Case(
        "no_barrier",
        "race",
        "  __shared__ float s[256];\n  s[t] = i < n ? x[i] : 0;  //!\n  if (i < n)\n"
        "    y[i] = s[255 - t];  //!other\n}",
        (("  if (i < n)\n", "  __syncthreads();\n  if (i < n)\n"), ("s[255 - t]", "s[t]")),
        "s[128]",
    ),
    Case(
        "no_second_barrier",
        "race",
        "  __shared__ float s[256];\n  float sum = 0;\n  for (int r = 0; r < 2; r++) {\n"
        "    s[t] = i < n ? x[i] * (r + 1) : 0;  //!\n    __syncthreads();\n"
        "    sum += s[t ^ 1];  //!other\n  }\n"
        "  if (i < n) y[i] = sum;\n}",
        (("^ 1];", "^ 1]; __syncthreads();"),),
    ),
    Case(
        "lost_update",
        "race",
        "  __shared__ float s;\n  if (t == 0) s = 0;\n  __syncthreads();\n  s += 1.f;  //!\n"
        "  __syncthreads();\n"
        "  if (i < n) y[i] = s;\n}",
        (("s += 1.f", "atomicAdd(&s, 1.f)"),),
        "s",
        check=False,
    ),
    Case(
        "lost_histogram",
        "race",
        "  __shared__ int bins[8];\n  if (t < 8) bins[t] = 0;\n  __syncthreads();\n  bins[t % 8]++;  //!\n"
        "  __syncthreads();\n  if (i < n) y[i] = bins[t % 8];\n}",
        (("bins[t % 8]++", "atomicAdd(&bins[t % 8], 1)"),),
        check=False,
    ),
    Case(
        "tree_without_barrier",
        "race",
        _TREE + "  for (int o = 128; o > 0; o /= 2)\n    if (t < o)\n      s[t] += s[t + o];  //!\n"
        "  __syncthreads();\n  if (i < n) y[i] = s[0];\n}",
        (
            (
                "o /= 2)\n    if (t < o)\n      s[t] += s[t + o];",
                "o /= 2) {\n    if (t < o)\n      s[t] += s[t + o]; __syncthreads(); }",
            ),
        ),
    ),
    Case(
        "volatile_warp",
        "race",
        _TREE
        + "  if (t < 32) {\n    volatile float* v = s;\n    float w = v[t + 16];  //!\n    v[t] = w;  //!other\n  }\n"
        "  __syncthreads();\n  if (i < n) y[i] = s[0];\n}",
        (("    v[t] = w;", "    __syncwarp(); v[t] = w;"),),
    ),
    Case(
        "no_syncwarp",
        "race",
        "  __shared__ float s[256];\n  s[t] = i < n ? x[i] : 0;  //!\n"
        "  if (i < n) y[i] = s[t ^ 31];  //!other\n}",
        (("  if (i < n) y", "  __syncwarp();\n  if (i < n) y"),),
    ),
    Case(
        "sum_read_too_early",
        "race",
        "  __shared__ float s;\n  if (t == 0) s = 0;\n  __syncthreads();\n"
        "  atomicAdd(&s, 1.f);  //!other\n  if (i < n) y[i] = s;  //!\n}",
        (("  if (i < n) y", "  __syncthreads();\n  if (i < n) y"),),
        "s",
    ),
    Case(
        "bytes",
        "race",
        "  __shared__ unsigned char s[256];\n  s[t] = t;  //!\n  if (i < n) y[i] = s[255 - t];  //!other\n}",
        (("  if (i < n) y", "  __syncthreads();\n  if (i < n) y"),),
    ),
    Case(
        "halves",
        "race",
        "  __shared__ __half s[256];\n  s[t] = __float2half(t);  //!\n"
        "  if (i < n) y[i] = __half2float(s[255 - t]);  //!other\n}",
        (("  if (i < n) y", "  __syncthreads();\n  if (i < n) y"),),
    ),
    Case(
        "dynamic_shared",
        "race",
        "  extern __shared__ float s[];\n  s[t] = i < n ? x[i] : 0;  //!\n"
        "  if (i < n) y[i] = s[255 - t];  //!other\n}",
        (("  if (i < n) y", "  __syncthreads();\n  if (i < n) y"),),
        launch="k<<<(n + 255) / 256, 256, 1024>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);",
    ),
    Case(
        "total_in_place",
        "race",
        _TREE + "  if (t == 0)\n    for (int j = 1; j < 256; j++) s[0] += s[j];  //!\n"
        "  if (i < n) y[i] = s[0] / 256;  //!other\n}",
        (("  if (i < n) y", "  __syncthreads();\n  if (i < n) y"),),
        "s[0]",
    ),
    Case(
        "two_blocks_one_word",
        "race",
        "  if (i < n) y[i] = x[i];\n  if (t == 0) y[0] = blockIdx.x;  //!\n}",
        (("if (t == 0)", "__syncthreads(); if (i == 0)"),),
        "y[0]",
    ),
    Case(
        "neighbour_in_place",
        "race",
        "__global__ void k(float* y, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  float next = y[(i + 128) % 1024];  //!other\n  y[i] = next;  //!\n}",
        (
            ("float* y, int n", "const float* x, float* y, int n"),
            ("y[(i + 128) % 1024]", "x[(i + 128) % 1024]"),
            ("k<<<8, 128>>>(y", "k<<<8, 128>>>(x.data_ptr<float>(), y"),
        ),
        n=1024,
        launch="y.copy_(x);\nk<<<8, 128>>>(y.data_ptr<float>(), n);",
    ),
    Case(
        "lost_global_count",
        "race",
        "  if (i < n) y[i] = x[i];\n  __syncthreads();\n  if (t == 0) y[0] += 1;  //!\n}",
        (
            ("y[0] += 1", "atomicAdd(&y[1 % n], 0.f)"),
            ("y[i] = x[i];", "atomicAdd(&y[i], x[i]);"),
            ("k<<<", "y.zero_();\nk<<<"),
        ),
        "y[0]",
    ),
    Case(
        "device_variable",
        "race",
        "__device__ int hits;\n__global__ void k(const float* x, float* y, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = x[i];\n  hits++;  //!\n}",
        (("hits++", "atomicAdd(&hits, 1)"),),
        check=False,
    ),
    Case(
        "last_block_without_fence",
        "race",
        "__device__ unsigned done;\n__global__ void k(const float* x, float* y, int n) {\n"
        "  __shared__ bool last; int t = threadIdx.x;\n"
        "  if (t == 0) {\n    y[blockIdx.x] = x[blockIdx.x];  //!other\n"
        "    last = atomicInc(&done, gridDim.x - 1) == gridDim.x - 1;\n  }\n  __syncthreads();\n"
        "  if (last && t == 0) {\n    float sum = 0;\n"
        "    for (int b = 0; b < gridDim.x; b++) sum += y[b];  //!\n"
        "    y[0] = sum;\n  }\n}",
        (("    last =", "    __threadfence();\n    last ="),),
        n=4,
        launch="k<<<4, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);",
        check=False,
    ),
    Case(
        "fence_after_the_count",
        "race",
        "__device__ unsigned counted;\n__global__ void k(const float* x, float* y, int n) {\n"
        "  __shared__ bool last; int t = threadIdx.x;\n"
        "  if (t == 0) {\n    y[blockIdx.x] = x[blockIdx.x];  //!other\n"
        "    last = atomicInc(&counted, gridDim.x - 1) == gridDim.x - 1;\n    __threadfence();\n  }\n"
        "  __syncthreads();\n  if (last && t == 0) {\n    float sum = 0;\n"
        "    for (int b = 0; b < gridDim.x; b++) sum += y[b];  //!\n"
        "    y[0] = sum;\n  }\n}",
        (("    last =", "    __threadfence();\n    last ="),),
        n=4,
        launch="k<<<4, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);",
        check=False,
    ),
    Case(
        "relaxed_count",
        "race",
        "__device__ unsigned ended;\n__global__ void k(const float* x, float* y, int n) {\n"
        "  __shared__ bool last; int t = threadIdx.x;\n"
        "  if (t == 0) {\n    y[blockIdx.x] = x[blockIdx.x];  //!other\n"
        "    cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(ended);\n"
        "    last = count.fetch_add(1, cuda::memory_order_relaxed) == gridDim.x - 1;\n  }\n"
        "  __syncthreads();\n  if (last && t == 0) {\n    float sum = 0;\n"
        "    for (int b = 0; b < gridDim.x; b++) sum += y[b];  //!\n"
        "    y[0] = sum;\n    ended = 0;\n  }\n}",
        (("memory_order_relaxed", "memory_order_acq_rel"),),
        n=4,
        launch="k<<<4, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);",
        check=False,
        helpers="#include <cuda/atomic>\n",
    ),
    Case(
        "table_of_each_block",
        "race",
        "__device__ float table[16];\n__global__ void k(const float* x, float* y, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;\n"
        "  if (t < 16) table[t] = t + blockIdx.x;  //!\n  __syncthreads();\n"
        "  if (i < n) y[i] = x[i] * table[i % 16];\n}",
        ((" + blockIdx.x;", ";"),),  # each block writes what is there already
        check=False,
    ),
    Case(
        "aliased_shared",
        "race",
        "  extern __shared__ float pool[];\n  float* a = pool;\n  int* b = reinterpret_cast<int*>(pool + 128);\n"
        "  a[t] = i < n ? x[i] : 0;  //!\n  b[t] = t;  //!other\n  __syncthreads();\n"
        "  if (i < n) y[i] = a[t] + b[t];\n}",
        (("pool + 128", "pool + 256"),),
        launch="k<<<(n + 255) / 256, 256, 2048>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);",
    ),
    Case(
        "largest_without_atomic",
        "race",
        "  __shared__ int m;\n  if (t == 0) m = 0;\n  __syncthreads();\n"
        "  int v = i < n && x[i] > 0 ? x[i] * 1000 : 0;\n"
        "  if (v > m)  //!\n    m = v;  //!other\n  __syncthreads();\n  if (i < n) y[i] = m;\n}",
        (("  if (v > m)  //!\n    m = v;  //!other", "  atomicMax(&m, v);"),),
        "m",
        check=False,
    ),
    Case(
        "plain_beside_atomic",
        "race",
        "  __shared__ int s;\n  if (t == 0) s = 0;\n  __syncthreads();\n  int v = i < n && x[i] > 0;\n"
        "  if (t > 0) atomicAdd(&s, v);  //!\n  if (t == 0)\n    s += v;  //!other\n"
        "  __syncthreads();\n  if (i < n) y[i] = s;\n}",
        (("if (t > 0) atomic", "atomic"), ("    s += v;", "    ;")),
        "s",
        check=False,
    ),
    Case(
        "scan_in_place",
        "race",
        "  __shared__ float s[256];\n  s[t] = i < n ? x[i] : 0;\n  __syncthreads();\n"
        "  for (int o = 1; o < 256; o *= 2) {\n    if (t >= o)\n      s[t] += s[t - o];  //!\n"
        "    __syncthreads();\n  }\n  if (i < n) y[i] = s[t];\n}",
        (
            (
                "    if (t >= o)\n      s[t] += s[t - o];",
                "    float v = t >= o ? s[t - o] : 0;\n    __syncthreads();\n    s[t] += v;",
            ),
        ),
    ),
    Case(
        "warp_scan_half_ordered",
        "race",
        "  __shared__ float s[256];\n  s[t] = i < n ? x[i] : 0;\n  __syncwarp();\n"
        "  for (int o = 1; o < 32; o *= 2) {\n    float v = t % 32 >= o ? s[t - o] : 0;  //!\n"
        "    s[t] += v;  //!other\n    __syncwarp();\n  }\n  if (i < n) y[i] = s[t];\n}",
        (("    s[t] += v;", "    __syncwarp();\n    s[t] += v;"),),
    ),
    Case(
        "largest_stored_beside_atomic",
        "race",
        "__global__ void k(const float* x, float* y, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x, v = i < n ? i % 255 * 3 : 0;\n"
        "  int* most = reinterpret_cast<int*>(y);\n"
        "  if (i % 2 && v > *most) atomicMax(most, v);  //!other\n"
        "  if (v > *most)\n    *most = v;  //!\n}",
        ((" && v > *most", ""), ("  if (v > *most)\n    *most = v;", "  atomicMax(most, v);")),
        launch="y.zero_();\nk<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);",
        check=False,
    ),
    Case(
        "guard_before_atomic",
        "guard",
        "__global__ void k(const float* x, float* y, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x, v = i < n ? i % 255 * 3 : 0;\n"
        "  int* most = reinterpret_cast<int*>(y);\n"
        "  if (v > *most)  //!\n    atomicMax(most, v);  //!other\n}",
        (("  if (v > *most)  //!\n", ""),),
        "y[0]",
        launch="y.zero_();\nk<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);",
        uncertain=True,
        check=False,
    ),
    Case(
        "count_read_before_its_atomic",
        "guard",
        "  __shared__ int taken;\n  if (t == 0) taken = 0;\n  __syncthreads();\n"
        "  int mine = -1;\n  if (taken < 40)  //!\n    mine = atomicAdd(&taken, 1);  //!other\n  __syncthreads();\n"
        "  if (i < n) y[i] = taken;\n}",
        (("  if (taken < 40)  //!\n    mine", "  mine"),),
        "taken",
        uncertain=True,
        check=False,
    ),
    Case(
        "compare_and_swap_left_early_by_a_store",
        "race",
        "  __shared__ int bits;\n  if (t == 0) bits = __float_as_int(-1.f);\n  __syncthreads();\n"
        "  int old = bits, seen;  //!\n  float v = i < n ? x[i % 7 * 100 % n] : -1.f;\n"
        "  while (__int_as_float(old) < v) {\n    seen = old;\n"
        "    if (t == 0) {\n      bits = __float_as_int(v);  //!other\n      break;\n    }\n"
        "    old = atomicCAS(&bits, seen, __float_as_int(v));\n    if (old == seen) break;\n  }\n"
        "  __syncthreads();\n  if (i < n) y[i] = __int_as_float(bits);\n}",
        (("t == 0) {", "t == 900) {"),),
        check=False,
    ),
    Case(
        "sum_read_between_two_atomics",
        "race",
        "  __shared__ int s;\n  if (t == 0) s = 0;\n  __syncthreads();\n  int sum = 0;\n"
        "  for (int r = 0; r < 2; r++) {\n    atomicAdd(&s, 1);  //!other\n"
        "    sum += s;  //!\n  }\n  if (i < n) y[i] = sum;\n}",
        (("    sum += s;  //!", "    __syncthreads();\n    sum += s;\n    __syncthreads();"),),
        "s",
    ),
    Case(
        "sometimes_another_value",
        "race",
        "__global__ void k(const float* x, float* y, int n) {\n  __shared__ int last;\n  int t = threadIdx.x;\n"
        "  for (int j = 0; j < 2; j++) {\n    if (t % 2 == 0)\n      last = j * t;  //!\n    __syncthreads();\n  }\n"
        "  y[t] = last > 0;\n}",
        (("if (t % 2 == 0)", "if (t == 254)"),),
        "last",
        launch="k<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);",
        n=256,
        check=False,
    ),
]
