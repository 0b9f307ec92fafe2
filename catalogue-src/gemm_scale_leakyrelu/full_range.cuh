#pragma once

#include "split.cuh"

namespace {

constexpr int kPlainTile = 128;
constexpr int kPlainDepth = 16;
constexpr int kPlainThreads = 256;
constexpr int kPlainPromotion = 4;  // chunks of kPlainDepth in one running sum, before it is added to the whole

// The worst of the facts of kPlainTile rows from `first` on, for each lane of a warp.
__device__ __forceinline__ RowFacts worst_facts(const float* facts, int rows, int first) {
  RowFacts worst{0.f, 1.f, 1.f};
#pragma unroll
  for (int i = 0; i < kPlainTile / 32; ++i) {
    const size_t size = rows, row = min(first + 32 * i + static_cast<int>(threadIdx.x) % 32, rows - 1);
    worst.hazard = fmaxf(worst.hazard, facts[kHazard * size + row]);
    worst.near4 = fminf(worst.near4, facts[kNear4 * size + row]);
    worst.near32 = fminf(worst.near32, facts[kNear32 * size + row]);
  }
#pragma unroll
  for (int d = 16; d; d /= 2) {
    worst.hazard = fmaxf(worst.hazard, __shfl_xor_sync(0xffffffffu, worst.hazard, d));
    worst.near4 = fminf(worst.near4, __shfl_xor_sync(0xffffffffu, worst.near4, d));
    worst.near32 = fminf(worst.near32, __shfl_xor_sync(0xffffffffu, worst.near32, d));
  }
  return worst;
}

// Eight values of a row; kVector: where both operands are aligned, and neither is transposed.
template <bool kVector>
__device__ __forceinline__ void load_terms(float* to, const float* values, int row, int rows, int c, int k,
                                           bool transposed) {
  if (!kVector && transposed) {
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      to[e] = c + e < k ? values[static_cast<size_t>(c + e) * rows + row] : 0.f;
    }
    return;
  }
  load8<kVector>(to, values + static_cast<size_t>(row) * k, c, k);
}

// A tile of 128 x 128 by float32 multiply-adds.
// Thread (i, j) of 16 x 16 owns rows 4 i..4 i + 3 and 64 + 4 i.., columns 4 j.. and 64 + 4 j...
template <bool kVector>
__device__ __forceinline__ void multiply_plain_tile(const Product& p, int row0, int column0) {
  __shared__ __align__(16) float x_tile[kPlainDepth][kPlainTile + 4];
  __shared__ __align__(16) float w_tile[kPlainDepth][kPlainTile + 4];
  const int t = threadIdx.x, i = t / 16, j = t % 16;
  float whole[8][8] = {};
  float sum[8][8] = {};
  int chunk = 0;
  for (int k0 = 0; k0 < p.k; k0 += kPlainDepth) {
    const int r = t / 2, k = t % 2 * 8;
    float xs[8], ws[8];
    load_terms<kVector>(xs, p.x, min(row0 + r, p.m - 1), p.m, k0 + k, p.k, p.x_transposed);
    load_terms<kVector>(ws, p.w, min(column0 + r, p.n - 1), p.n, k0 + k, p.k, p.w_transposed);
    __syncthreads();
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      x_tile[k + e][r] = xs[e];
      w_tile[k + e][r] = ws[e];
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < kPlainDepth; ++d) {
      float a[8], b[8];
      *reinterpret_cast<float4*>(a) = *reinterpret_cast<const float4*>(&x_tile[d][4 * i]);
      *reinterpret_cast<float4*>(a + 4) = *reinterpret_cast<const float4*>(&x_tile[d][64 + 4 * i]);
      *reinterpret_cast<float4*>(b) = *reinterpret_cast<const float4*>(&w_tile[d][4 * j]);
      *reinterpret_cast<float4*>(b + 4) = *reinterpret_cast<const float4*>(&w_tile[d][64 + 4 * j]);
#pragma unroll
      for (int u = 0; u < 8; ++u) {
#pragma unroll
        for (int v = 0; v < 8; ++v) {
          sum[u][v] = fmaf(a[u], b[v], sum[u][v]);
        }
      }
    }
    if (++chunk % kPlainPromotion == 0 || k0 + kPlainDepth >= p.k) {
#pragma unroll
      for (int u = 0; u < 8; ++u) {
#pragma unroll
        for (int v = 0; v < 8; ++v) {
          whole[u][v] += sum[u][v];
          sum[u][v] = 0.f;
        }
      }
    }
  }
#pragma unroll
  for (int u = 0; u < 8; ++u) {
    const int row = row0 + u / 4 * 64 + 4 * i + u % 4;
#pragma unroll
    for (int v = 0; v < 8; ++v) {
      const int c = column0 + v / 4 * 64 + 4 * j + v % 4;
      if (row < p.m && c < p.n) {
        p.y[static_cast<size_t>(row) * p.n + c] = activate(p, whole[u][v], p.bias ? p.bias[c] : 0.f);
      }
    }
  }
}

// Computes again each tile of y for which the split has not enough bits; usually none. A warp looks at a tile.
template <bool kVector>
__global__ void __launch_bounds__(kPlainThreads)
    multiply_full_range(const Product p, const float* __restrict__ x_facts, const float* __restrict__ w_facts) {
  constexpr int kWarps = kPlainThreads / 32;
  __shared__ int needed[kWarps];
  wait_for_previous();
  const int rows = (p.m + kPlainTile - 1) / kPlainTile, tiles = rows * ((p.n + kPlainTile - 1) / kPlainTile);
  for (int first = blockIdx.x; first < tiles; first += kWarps * gridDim.x) {
    const int warp = threadIdx.x / 32, mine = min(first + warp * static_cast<int>(gridDim.x), tiles - 1);
    const bool enough = enough_bits(worst_facts(x_facts, p.m, mine % rows * kPlainTile),
                                    worst_facts(w_facts, p.n, mine / rows * kPlainTile));
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
      needed[warp] = !enough;
    }
    __syncthreads();
    for (int i = 0; i < kWarps; ++i) {
      const int tile = first + i * gridDim.x;
      if (tile < tiles && needed[i]) {
        multiply_plain_tile<kVector>(p, tile % rows * kPlainTile, tile / rows * kPlainTile);
      }
    }
  }
}

}  // namespace
