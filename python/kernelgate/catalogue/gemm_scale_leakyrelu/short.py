"""Linear, multiply and LeakyReLU in one product on tensor cores, short: to be read in one go.

Tensor cores multiply fp16, with 11 bits of significand; float32 has 24. So each number is split into two fp16 numbers,
v = hi + lo, and x w = lo hi + hi lo + hi hi takes three products; lo lo is below the rounding of float32. A tensor core
cuts off where it adds, so after 64 terms its sums go into a float32 sum, which is rounded. Each row is scaled by a
power of two, as fp16 has a narrow range. The split of the weight is kept until the weight changes.

Given up: torch.compile and torch.export. Infinities become NaN, and numbers below 2^-18 of the largest in their row
lose bits. A change of the weight through `.data`, which PyTorch does not count, is not seen. Types but float32, slopes
below zero, and GPUs but A100, H100, H200 and B200 run PyTorch's operators. The gradient's products are PyTorch's.
"""

import functools

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_fp16.h>
#include <torch/extension.h>

constexpr int kThreads = 256, kTile = 128;  // a block computes 128 x 128 results, each of its 8 warps 64 x 32
constexpr int kSlice = 32, kLine = 2 * kSlice;  // a line of 128 bytes: 32 hi of a row, then their 32 lo
constexpr int kStage = 2 * kTile * kLine * sizeof(half), kStages = 4;  // a line of each row of x and of w, in bytes

__host__ __device__ int slices_of(int k) { return (k + 2 * kSlice - 1) / (2 * kSlice) * 2; }

// A block splits a row of k values into lines; (hi + lo) = value * 2^shift, the largest in [2^14, 2^15).
__global__ void split_rows(const float* values, int k, half* lines, int* shifts) {
  __shared__ int largest;
  const float* row = values + size_t(blockIdx.x) * k;
  int mine = 0;  // the bits of a magnitude order as it does
  if (threadIdx.x == 0) largest = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < k; i += kThreads) mine = max(mine, __float_as_int(fabsf(row[i])));
  atomicMax(&largest, mine);
  __syncthreads();
  const int shift = min(14 - ((largest >> 23) - 127), 126);
  for (int i = threadIdx.x; i < slices_of(k) * kSlice; i += kThreads) {
    const float v = i < k ? row[i] * __int_as_float((shift + 127) << 23) : 0;
    half* at = lines + (size_t(blockIdx.x) * slices_of(k) + i / kSlice) * kLine + i % kSlice;
    at[0] = __float2half(v);
    at[kSlice] = __float2half(v - __half2float(at[0]));
  }
  if (threadIdx.x == 0) shifts[blockIdx.x] = shift;
}

__device__ void load(unsigned (&r)[4], unsigned from) {  // four matrices of 8 x 8 halves
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(from));
}
__device__ void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned* b) {  // d += a b: 16 x 8 of 16 terms
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__global__ void __launch_bounds__(kThreads, 1)
product(const half* x, const int* x_shift, const half* w, const int* w_shift, const float* bias, float* y,
        int m, int n, int k, float multiplier, float slope) {
  extern __shared__ __align__(128) unsigned char bytes[];
  const unsigned shared = __cvta_generic_to_shared(bytes);
  const int t = threadIdx.x, lane = t % 32, warp_row = t / 32 % 2 * 64, warp_column = t / 64 * 32;
  const int tiles = (m + kTile - 1) / kTile, slices = slices_of(k);
  const int row0 = blockIdx.x % tiles * kTile, column0 = blockIdx.x / tiles * kTile;

  // Thread t brings chunk t % 8, of 16 bytes, of rows t / 8 + 32 i of x, then of w; behind the last row, the last one.
  // Chunk c of row r is stored at c ^ (r % 8), so that the eight rows of a matrix lie in different banks.
  const half* from[8];
  for (int i = 0; i < 8; ++i) {
    const int row = t / 8 + i % 4 * 32, line = i < 4 ? min(row0 + row, m - 1) : min(column0 + row, n - 1);
    from[i] = (i < 4 ? x : w) + size_t(line) * slices * kLine + t % 8 * 8;
  }
  const unsigned to = shared + t / 8 * 128 + ((t % 8 ^ t / 8 % 8) << 4);
  auto fetch = [&](int slice) {
    for (int i = 0; slice < slices && i < 8; ++i)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                   :: "r"(to + slice % kStages * kStage + i * 4096), "l"(from[i] + slice * kLine) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
  };

  // Where this lane's row of the first matrix lies, for hi of terms 0 to 15; ^ 32: terms 16 to 31, ^ 64: lo.
  const unsigned x_at = (warp_row + lane % 16) * 128 + ((lane / 16 ^ lane % 8) << 4);
  const unsigned w_at = (kTile + warp_column + lane % 8 + lane / 16 * 8) * 128 + ((lane / 8 % 2 ^ lane % 8) << 4);
  unsigned x_hi[4][4], x_lo[4][4], w_hi[2][4], w_lo[2][4];
  auto load_x = [&](unsigned (&r)[4][4], int slice, int part) {
    for (int i = 0; i < 4; ++i) load(r[i], (shared + slice % kStages * kStage + x_at ^ part) + i * 16 * 128);
  };
  auto load_w = [&](unsigned (&r)[2][4], int slice, int part) {
    for (int i = 0; i < 2; ++i) load(r[i], (shared + slice % kStages * kStage + w_at ^ part) + i * 16 * 128);
  };
  float large[4][4][4] = {}, sums[4][4][4] = {};
  auto multiply_all = [&](unsigned (&a)[4][4], unsigned (&b)[2][4]) {
    for (int e = 0; e < 16; ++e) multiply(sums[e / 4][e % 4], a[e / 4], b[e % 4 / 2] + e % 2 * 2);
  };
  for (int slice = 0; slice < kStages - 1; ++slice) fetch(slice);
  asm volatile("cp.async.wait_group %0;" :: "n"(kStages - 2) : "memory");
  __syncthreads();
  load_x(x_lo, 0, 64);
  load_w(w_hi, 0, 0);
#pragma unroll 1
  for (int pair = 0; pair < slices; pair += 2) {
#pragma unroll
    for (int quarter = 0; quarter < 4; ++quarter) {  // of 64 terms; loads run beside the product before
      const int slice = pair + quarter / 2, part = quarter % 2 * 32;
      load_x(x_hi, slice, part);
      load_w(w_lo, slice, part ^ 64);
      multiply_all(x_lo, w_hi);
      multiply_all(x_hi, w_hi);
      if (part) {
        asm volatile("cp.async.wait_group %0;" :: "n"(kStages - 3) : "memory");
        __syncthreads();
        fetch(slice + kStages - 1);
      }
      load_x(x_lo, slice + part / 32, part ^ 96);
      load_w(w_hi, slice + part / 32, part ^ 32);
      multiply_all(x_hi, w_lo);
    }
#pragma unroll
    for (int e = 0; e < 64; ++e) {
      (&large[0][0][0])[e] += (&sums[0][0][0])[e];
      (&sums[0][0][0])[e] = 0;
    }
  }
#pragma unroll
  for (int e = 0; e < 64; ++e) {
    const int row = row0 + warp_row + e / 16 * 16 + e / 2 % 2 * 8 + lane / 4;
    const int column = column0 + warp_column + e / 4 % 4 * 8 + lane % 4 * 2 + e % 2;
    if (row >= m || column >= n) continue;
    float v = scalbnf((&large[0][0][0])[e], -x_shift[row] - w_shift[column]);
    v = (v + (bias ? bias[column] : 0)) * multiplier;
    y[size_t(row) * n + column] = v > 0 ? v : v * slope;
  }
}

// The gradient before the activation: of the upstream gradient g and the side that each result took.
__global__ void by_side(const float* g, const bool* positive, float* z, int64_t count, float multiplier, float slope) {
  const int64_t i = blockIdx.x * int64_t(kThreads) + threadIdx.x;
  if (i < count) z[i] = (positive[i] ? g[i] : g[i] * slope) * multiplier;
}

// values: float32 (rows, k), dense. Returns lines (rows, slices, 64), float16, and shifts (rows), int32.
std::vector<torch::Tensor> split(torch::Tensor values) {
  const c10::cuda::CUDAGuard guard(values.device());
  const int rows = values.size(0), k = values.size(1);
  torch::Tensor lines = torch::empty({rows, slices_of(k), kLine}, values.options().dtype(torch::kHalf));
  torch::Tensor shifts = torch::empty({rows}, values.options().dtype(torch::kInt));
  split_rows<<<rows, kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
      values.data_ptr<float>(), k, static_cast<half*>(lines.data_ptr()), shifts.data_ptr<int>());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return {lines, shifts};
}

// x: float32 (m, k), dense; w, w_shift: the split of the weight. Returns (m, n).
torch::Tensor forward(torch::Tensor x, torch::Tensor w, torch::Tensor w_shift, std::optional<torch::Tensor> bias,
                      double multiplier, double slope) {
  const c10::cuda::CUDAGuard guard(x.device());
  const int m = x.size(0), k = x.size(1), n = w.size(0);
  const auto x_split = split(x);
  torch::Tensor y = torch::empty({m, n}, x.options());
  C10_CUDA_CHECK(cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, kStages * kStage));
  const int blocks = ((m + kTile - 1) / kTile) * ((n + kTile - 1) / kTile);
  const float* b = bias ? bias->data_ptr<float>() : nullptr;
  product<<<blocks, kThreads, kStages * kStage, at::cuda::getCurrentCUDAStream()>>>(
      static_cast<half*>(x_split[0].data_ptr()), x_split[1].data_ptr<int>(), static_cast<half*>(w.data_ptr()),
      w_shift.data_ptr<int>(), b, y.data_ptr<float>(), m, n, k, multiplier, slope);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

torch::Tensor backward(torch::Tensor g, torch::Tensor positive, double multiplier, double slope) {
  const c10::cuda::CUDAGuard guard(g.device());
  torch::Tensor z = torch::empty_like(g);
  by_side<<<(g.numel() + kThreads - 1) / kThreads, kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
      g.data_ptr<float>(), positive.data_ptr<bool>(), z.data_ptr<float>(), g.numel(), multiplier, slope);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return z;
}
"""


@functools.cache
def extension():
    tensor, numbers = "torch::Tensor", "double, double"
    declared = (f"std::vector<{tensor}> split({tensor}); {tensor} backward({tensor}, {tensor}, {numbers});"
                f"{tensor} forward({tensor}, {tensor}, {tensor}, std::optional<{tensor}>, {numbers});")  # fmt: skip
    return load_inline("gemm_short", declared, SOURCE, functions=["split", "forward", "backward"])


class BySide(torch.autograd.Function):
    """The gradient before the activation, of that after it; linear, so that its own gradient is the same."""

    @staticmethod
    def forward(ctx, g, positive, *numbers):
        ctx.save_for_backward(positive)
        ctx.numbers = numbers
        return extension().backward(g.contiguous(), positive, *numbers)

    @staticmethod
    def backward(ctx, g):
        return BySide.apply(g, *ctx.saved_tensors, *ctx.numbers), None, None, None


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, split, *numbers):
        y = extension().forward(x.contiguous(), *split, bias, *numbers)
        if any(ctx.needs_input_grad):
            ctx.save_for_backward(x, weight, y > 0)
        ctx.numbers = numbers
        return y

    @staticmethod
    def backward(ctx, g):
        x, weight, positive = ctx.saved_tensors
        z = BySide.apply(g, positive, *ctx.numbers)
        of_x, of_weight, of_bias = ctx.needs_input_grad[:3]
        of_parameters = z.t() @ x if of_weight else None, z.sum(0) if of_bias else None
        return z @ weight if of_x else None, *of_parameters, None, None, None


class ModelNew(nn.Module):
    def __init__(self, in_features: int, out_features: int, multiplier: float, negative_slope: float):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.multiplier, self.negative_slope = multiplier, negative_slope
        self.weight_split = None, None, None

    def split_of_weight(self):
        weight = self.gemm.weight
        if weight.is_inference() or torch.cuda.is_current_stream_capturing():
            return extension().split(weight.contiguous())
        now = weight.data_ptr(), weight._version, torch.cuda.current_stream().cuda_stream
        if self.weight_split[0] is not weight or self.weight_split[1] != now:
            self.weight_split = weight, now, extension().split(weight.detach().contiguous())
        return self.weight_split[2]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weight, bias = self.gemm.weight, self.gemm.bias
        plain = 0 in (x.numel(), weight.numel()) or self.negative_slope < 0 or torch.is_autocast_enabled("cuda")
        plain = plain or not x.is_cuda or x.device != weight.device or {x.dtype, weight.dtype} != {torch.float32}
        if plain or torch.cuda.get_device_capability(x.device) not in ((8, 0), (9, 0), (10, 0)):
            return F.leaky_relu(self.gemm(x) * self.multiplier, self.negative_slope)
        rows = x.reshape(-1, x.shape[-1])
        y = Product.apply(rows, weight, bias, self.split_of_weight(), self.multiplier, self.negative_slope)
        return y.view(*x.shape[:-1], -1)
