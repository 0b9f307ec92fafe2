"""Kernels whose costs in memory follow by arithmetic: one access each is marked, with what it costs.

bench/costs.py counts the same kernels on a GPU.
"""

from __future__ import annotations

from dataclasses import dataclass

N = 4096  # elements of x and y; each kernel runs as 16 blocks of 256 threads, or 4 of 32 x 32 where it has tiles
LAUNCH = "k<<<16, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);"
TILES = "k<<<4, dim3(32, 32)>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);"
INDEX = "  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;\n"
TILE = "  int c = threadIdx.x, r = threadIdx.y, b = blockIdx.x * 1024;\n"


@dataclass(frozen=True)
class Cost:
    """`body` is that of `k(const float* x, float* y, int n)` behind its indices; the line that is counted ends with
    `//!`. A request of it touches `sectors` of 32 bytes in global memory, or takes `ways` passes over the banks of
    shared memory, each times as many as it would take without a conflict; `lanes` of 32 take part; `same`: the lanes
    of an atomic at one address."""

    name: str
    body: str
    sectors: float | None = None
    ways: float | None = None
    lanes: float = 32
    same: float | None = None
    access: str = "load"
    tiles: bool = False

    def source(self) -> str:
        text = f"__global__ void k(const float* x, float* y, int n) {{\n{TILE if self.tiles else INDEX}{self.body}}}\n"
        run = TILES if self.tiles else LAUNCH
        text += f"torch::Tensor run(torch::Tensor x) {{ auto y = torch::zeros_like(x); int n = x.numel();\n{run}\n"
        text = f"namespace {self.name}_ {{\n{text}return y; }}\n}}\n".replace("k(const", f"{self.name}(const")
        text = text.replace("\nk<<<", f"\n{self.name}<<<")
        return text + f"torch::Tensor {self.name}(torch::Tensor x) {{ return {self.name}_::run(x); }}\n"


def _shared(stride: int) -> str:
    """Each lane reads the word `stride` further on than the lane before."""
    return (
        f"  __shared__ float s[32 * {stride} + 256];\n  for (int j = t; j < 32 * {stride}; j += 256) s[j] = x[j];\n"
        f"  __syncthreads();\n  y[i] =\n      s[t % 32 * {stride}];  //!\n"
    )


COSTS = [
    Cost("coalesced_load", "  y[i] =\n      x[i];  //!\n", sectors=4),
    Cost("coalesced_store", "  y[i] =  //!\n      x[i];\n", sectors=4, access="store"),
    Cost(
        "vector_load",
        "  float4 v =\n      ((const float4*)x)[i % 1024];  //!\n  y[i] = v.x + v.y + v.z + v.w;\n",
        sectors=16,
    ),
    Cost("shifted_by_one", "  y[i] =\n      x[(i + 1) % n];  //!\n", sectors=5),
    Cost("stride_2", "  y[i] =\n      x[i * 2 % n];  //!\n", sectors=8),
    Cost("stride_8", "  y[i] =\n      x[i * 8 % n];  //!\n", sectors=32),
    Cost("stride_32", "  y[i] =\n      x[i * 32 % n];  //!\n", sectors=32),
    Cost("broadcast", "  y[i] =\n      x[blockIdx.x];  //!\n", sectors=1),
    Cost("reversed", "  y[i] =\n      x[n - 1 - i];  //!\n", sectors=4),
    Cost("half_of_a_warp", "  if (t % 32 < 16)\n    y[i] =\n        x[i];  //!\n", sectors=2, lanes=16),
    Cost("one_lane_of_a_warp", "  if (t % 32 == 0)\n    y[i] =\n        x[i];  //!\n", sectors=1, lanes=1),
    Cost("every_other_lane", "  if (t % 2)\n    y[i] =\n        x[i];  //!\n", sectors=4, lanes=16),
    Cost("no_conflict", _shared(1), ways=1),
    Cost("conflict_of_2", _shared(2), ways=2),
    Cost("conflict_of_4", _shared(4), ways=4),
    Cost("conflict_of_8", _shared(8), ways=8),
    Cost("conflict_of_32", _shared(32), ways=32),
    Cost("odd_stride", _shared(33), ways=1),
    Cost(
        "transpose",
        "  __shared__ float s[32][32];\n  s[r][c] = x[b + r * 32 + c];\n  __syncthreads();\n"
        "  y[b + r * 32 + c] =\n      s[c][r];  //!\n",
        ways=32,
        tiles=True,
    ),
    Cost(
        "transpose_padded",
        "  __shared__ float s[32][33];\n  s[r][c] = x[b + r * 32 + c];\n  __syncthreads();\n"
        "  y[b + r * 32 + c] =\n      s[c][r];  //!\n",
        ways=1,
        tiles=True,
    ),
    Cost(
        "transpose_in_place_of_rows",
        "  y[b + c * 32 + r] =  //!\n      x[b + r * 32 + c];\n",
        32,
        access="store",
        tiles=True,
    ),
    Cost(
        "one_sum",
        "  atomicAdd(y, x[i]);  //!\n",
        sectors=1,
        same=32,
        access="atomic",
    ),
    Cost(
        "sums_of_a_lane",
        "  atomicAdd(y + t % 32, x[i]);  //!\n",
        sectors=4,
        same=1,
        access="atomic",
    ),
    Cost(
        "vectors_of_shared",
        "  __shared__ float4 s[256];\n  s[t] = ((const float4*)x)[i % 1024];\n  __syncthreads();\n"
        "  float4 v = s[t];  //!\n  y[i] = v.x + v.y + v.z + v.w;\n",
        ways=1,
    ),
    Cost(
        "tiled_product",
        "  __shared__ float p[32][32], q[32][32];\n  p[r][c] = x[b + r * 32 + c];\n  q[r][c] = x[b + c * 32 + r];\n"
        "  __syncthreads();\n  float sum = 0;\n  for (int j = 0; j < 32; j++)\n    sum += p[r][j] *\n"
        "           q[j][c];  //!\n  y[b + r * 32 + c] = sum;\n",
        ways=1,
        tiles=True,
    ),
    Cost(
        "tree_sum",
        "  __shared__ float s[256];\n  s[t] = x[i];\n  __syncthreads();\n  for (int h = 128; h > 0; h /= 2) {\n"
        "    if (t < h)\n      s[t] += s[t + h];  //!\n    __syncthreads();\n  }\n"
        "  if (t == 0) y[blockIdx.x] = s[0];\n",
        ways=1,
        lanes=255 / 12,
    ),
    Cost(
        "warp_sum",
        "  float sum = x[i];\n  for (int h = 16; h > 0; h /= 2) sum += __shfl_down_sync(~0u, sum, h);\n"
        "  if (t % 32 == 0)\n    y[i / 32] = sum;  //!\n",
        sectors=1,
        lanes=1,
        access="store",
    ),
    Cost(
        "tiled_product_of_columns",
        "  __shared__ float p[32][32], q[32][32];\n  float sum = 0;\n  for (int tile = 0; tile < 2; tile++) {\n"
        "    p[r][c] = x[(b + r * 32 + c + tile) % n];\n    q[c][r] = x[(b + r * 32 + c + tile) % n];\n"
        "    __syncthreads();\n    for (int j = 0; j < 32; j++)\n      sum += p[r][j] *\n             q[c][j];  //!\n"
        "    __syncthreads();\n  }\n  y[b + r * 32 + c] = sum;\n",
        ways=32,
        tiles=True,
    ),
]
HEADERS = "#include <torch/extension.h>\n"


def program() -> tuple[str, str]:
    """C++ and CUDA sources of an extension with a function for each kernel."""
    cpp = "\n".join(f"torch::Tensor {cost.name}(torch::Tensor x);" for cost in COSTS)
    return cpp, HEADERS + "".join(cost.source() for cost in COSTS)


def marked_line(cost: Cost, cuda: str) -> int:
    first = cuda.count("\n", 0, cuda.index(cost.source())) + 1
    return first + next(k for k, row in enumerate(cost.source().split("\n")) if row.endswith("//!"))
