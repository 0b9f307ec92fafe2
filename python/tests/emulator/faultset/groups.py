"""Cooperative groups: a group that not all of its threads meet, a copy that nobody waits for."""

from __future__ import annotations

from .case import Case

_HEADERS = """#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
"""

_MATRICES = """__global__ void k(const float* x, float* y, int n) {
  using namespace nvcuda::wmma;
  __shared__ alignas(32) __half s[16 * 24];
  int t = threadIdx.x;
  for (int j = t; j < 16 * 24; j += 32) s[j] = __float2half(x[j % n]);
  __syncwarp();
  fragment<matrix_a, 16, 16, 16, __half, row_major> a;
  fragment<matrix_b, 16, 16, 16, __half, row_major> b;
  fragment<accumulator, 16, 16, 16, float> c;
  fill_fragment(c, 0.f);
  load_matrix_sync(a, s, 20);  //!
  load_matrix_sync(b, s, 24);
  mma_sync(c, a, b, c);
  store_matrix_sync(y, c, 16, mem_row_major);
}"""

CASES = [
    Case(
        "rows_of_a_matrix_apart",
        "misaligned",
        _MATRICES,
        (("(a, s, 20)", "(a, s, 24)"),),
        n=256,
        launch="k<<<1, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);",
        helpers="#include <mma.h>\n",
    ),
    Case(
        "block_sync_by_branch",
        "barrier",
        "  auto block = cg::this_thread_block();\n  __shared__ float s[256];\n  s[t] = i < n ? x[i] : 0;\n"
        "  if (t < 128) {\n    block.sync();  //!\n    s[t] += 1;\n  } else {\n    s[t] += 2;\n"
        "    block.sync();  //!other\n  }\n  if (i < n) y[i] = s[t];\n}",
        (("    block.sync();  //!\n", "    ;\n"), ("    block.sync();  //!other", "    ;")),
        helpers=_HEADERS,
    ),
    Case(
        "half_of_a_tile",
        "absent_lane",
        "  auto tile = cg::tiled_partition<32>(cg::this_thread_block());\n  float v = i < n ? x[i] : 0;\n"
        "  if (tile.thread_rank() < 16)\n    v += tile.shfl_down(v, 1);  //!\n  if (i < n) y[i] = v;\n}",
        (("if (tile.thread_rank() < 16)", "if (true)"),),
        helpers=_HEADERS,
    ),
    Case(
        "reduce_after_return",
        "absent_lane",
        "  if (i >= n) return;\n  auto tile = cg::tiled_partition<32>(cg::this_thread_block());\n"
        "  float v = cg::reduce(tile, x[i], cg::plus<float>());  //!\n  y[i] = v;\n}",
        (("  if (i >= n) return;\n", ""), ("x[i], ", "i < n ? x[i] : 0.f, "), ("  y[i] = v", "  if (i < n) y[i] = v")),
        check=False,
        helpers=_HEADERS,
    ),
    Case(
        "copy_without_wait",
        "uninitialised",
        "  __shared__ float s[256];\n  auto block = cg::this_thread_block();\n"
        "  cg::memcpy_async(block, s, x + blockIdx.x * 256, 1024);\n  y[i] = s[t];  //!\n}",
        (("1024);\n", "1024);\n  cg::wait(block);\n"),),
        "s[0]",
        n=1024,
        helpers=_HEADERS,
    ),
    Case(
        "copy_waits_for_all_but_one",
        "uninitialised",
        "  __shared__ float s[256];\n  unsigned to = (unsigned)__cvta_generic_to_shared(s + t);\n"
        '  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(x + i));\n'
        '  asm volatile("cp.async.commit_group;");\n  asm volatile("cp.async.wait_group 1;");\n'
        "  __syncthreads();\n  y[i] = s[t];  //!\n}",
        (("wait_group 1", "wait_group 0"),),
        "s[0]",
        n=1024,
        helpers=_HEADERS,
    ),
]
