"""Barriers, warp masks, launches, and work that does not end."""

from .case import Case

CASES = [
    Case(
        "barrier_by_branch",
        "barrier",
        "  if (t < 128) {\n    __syncthreads();  //!\n  } else {\n    __syncthreads();  //!other\n  }\n"
        "  if (i < n) y[i] = x[i];\n}",
        (("  if (t < 128) {\n", "  {\n"), ("  } else {\n", "  }\n  {\n")),
    ),
    Case(
        "barrier_in_warp_branch",
        "barrier",
        "  if (t / 32 == 1) {\n    __syncthreads();  //!\n    if (i < n) y[i] = 0;\n  } else {\n"
        "    if (i < n) y[i] = x[i];\n"
        "    __syncthreads();  //!other\n    __syncthreads();\n  }\n}",
        (("    __syncthreads();  //!\n", ""), ("    __syncthreads();  //!other\n    __syncthreads();\n", "")),
    ),
    Case(
        "barrier_in_uneven_loop",
        "left_barrier",
        "  __shared__ float s[256];\n  for (int j = i; j < n; j += gridDim.x * blockDim.x) {\n    s[t] = x[j];\n"
        "    __syncthreads();  //!\n    y[j] = s[t];\n  }\n}",
        (
            ("j < n; j +=", "j - t < n; j +="),
            ("s[t] = x[j]", "s[t] = j < n ? x[j] : 0"),
            ("    y[j] = s[t]", "    if (j < n) y[j] = s[t]"),
        ),
        launch="k<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);",
        uncertain=True,
        check=False,
    ),
    Case(
        "shuffle_after_exit",
        "absent_lane",
        "  if (i >= n) return;\n  float v = x[i];\n"
        "  v = __shfl_down_sync(0xffffffffu, v, 1);  //!\n"
        "  y[i] = v;\n}",
        (
            ("  if (i >= n) return;\n  float v = x[i];", "  float v = i < n ? x[i] : 0;"),
            ("  y[i] = v", "  if (i < n) y[i] = v"),
        ),
    ),
    Case(
        "full_mask_half_warp",
        "deadlock",
        "  float v = i < n ? x[i] : 0;\n  if (t % 32 < 16)\n"
        "    v = __shfl_down_sync(0xffffffffu, v, 8);  //!\n"
        "  else __syncthreads();  //!other\n  if (i < n) y[i] = v;\n}",
        (("0xffffffffu, v, 8", "0x0000ffffu, v, 8, 16"), ("  else __syncthreads();", "")),
    ),
    Case(
        "syncwarp_half",
        "deadlock",
        "  if (t % 32 < 16)\n    __syncwarp();  //!\n  else __syncthreads();  //!other\n"
        "  if (i < n) y[i] = x[i];\n}",
        (("__syncwarp()", "__syncwarp(0xffffu)"), ("  else __syncthreads();", "")),
    ),
    Case(
        "not_in_own_mask",
        "mask",
        "  if (t == 1)\n    __syncwarp(1u);  //!\n  if (i < n) y[i] = x[i];\n}",
        (("1u)", "2u)"),),
    ),
    Case(
        "absent_lane",
        "absent_lane",
        "  float v = i < n ? x[i] : 0;\n  if (t % 32 < 16)\n"
        "    v = __shfl_down_sync(0x0000ffffu, v, 8);  //!\n"
        "  if (i < n) y[i] = v;\n}",
        (("v, 8)", "v, 8, 16)"),),
    ),
    Case(
        "too_many_threads",
        "launch",
        "  if (i < n) y[i] = x[i];\n}",
        (("<<<1, 2048>>>", "<<<4, 256>>>"),),
        launch="k<<<1, 2048>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);  //!",
    ),
    Case(
        "no_blocks",
        "launch",
        "  if (i < n) y[i] = x[i];\n}",
        (("n / 2000", "n / 200"),),
        launch="k<<<n / 2000, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);  //!",
    ),
    Case(
        "too_deep_block",
        "launch",
        "  if (i < n) y[i] = x[i];\n}",
        (("dim3(1, 1, 128)", "dim3(128)"),),
        launch="k<<<8, dim3(1, 1, 128)>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);  //!",
    ),
    Case(
        "too_high_grid",
        "launch",
        "  if (i < n) y[i] = x[i];\n}",
        (("dim3(1, 70000)", "dim3(8)"),),
        launch="k<<<dim3(1, 70000), 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);  //!",
    ),
    Case(
        "much_shared_memory",
        "launch",
        "  if (i < n) y[i] = x[i];\n}",
        (("65536", "1024"),),
        launch="k<<<4, 256, 65536>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);  //!",
    ),
    Case(
        "division_by_zero",
        "division_by_zero",
        "  if (i < n) y[i] = x[i / (n - 1001)];  //!\n}",
        (("n - 1001", "n - 1000"),),
    ),
    Case(
        "modulo_by_zero",
        "division_by_zero",
        "  if (i < n) y[i] = x[i % (n / 2000)];  //!\n}",
        (("n / 2000", "n"),),
    ),
    Case(
        "assertion_fails",
        "assertion",
        "  if (i < n) {\n    assert(x[i] < 1.f);  //!\n    y[i] = x[i];\n  }\n}",
        (("1.f", "100.f"),),
        helpers="#include <assert.h>\n",
    ),
    Case(
        "traps",
        "trap",
        "  if (i < n) {\n    if (x[i] > 1.f) __trap();  //!\n    y[i] = x[i];\n  }\n}",
        (("1.f", "100.f"),),
    ),
    Case(
        "endless_recursion",
        "stack_overflow",
        "__device__ float deeper(const float* x, int level) {\n"
        "  volatile float kept[8];\n  kept[level % 8] = x[0];  //!\n"
        "  if (level < 0) return kept[0];\n"
        "  return deeper(x, level + 1) + kept[level % 8];\n}\n"
        "__global__ void k(const float* x, float* y, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = deeper(x, 0);\n}",
        (("level < 0", "level > 3"),),
    ),
    Case(
        "endless",
        "endless",
        "  for (int j = i; j < n; j -= j % 2)\n    y[j] = x[j];  //!\n}",
        (("j -= j % 2", "j += n"),),
    ),
    Case(
        "waits_for_a_later_block",
        "waits",
        "__device__ volatile int flag;\n__global__ void k(const float* x, float* y, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (blockIdx.x == 0)\n"
        "    while (flag == 0) {  //!\n    }\n  else flag = 1;\n  if (i < n) y[i] = x[i];\n}",
        (("flag == 0", "flag == 2"),),
    ),
    Case(
        "waits_in_the_block",
        "waits",
        "  __shared__ volatile int ready;\n  if (t == 0) ready = 0;\n  __syncthreads();\n  if (t == 0)\n"
        "    while (ready == 0) {  //!\n    }\n  if (t == 1) ready = 1;\n  if (i < n) y[i] = x[i];\n}",
        (
            (
                "  if (t == 0)\n    while",
                "  __syncthreads();\n  if (t == 1) ready = 1;\n  __syncthreads();\n  if (t == 0)\n    while",
            ),
            ("  if (t == 1) ready = 1;\n  if (i < n)", "  if (i < n)"),
        ),
    ),
]
