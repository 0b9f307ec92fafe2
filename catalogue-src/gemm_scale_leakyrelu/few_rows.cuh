#pragma once

#include "split.cuh"

namespace {

constexpr int kFewThreads = 256;
constexpr int kFewWarps = kFewThreads / 32;
constexpr int kMostFewRows = 16;
// Where m is 1: outputs of a warp, which share what is loaded of x, and terms in one running sum. The fastest, with
// none more accurate, of those that bench/gemm.py tried on an H200 (variants).
constexpr int kOutputs = 2;
constexpr int kTerms = 8;

// The terms k.., 128 + k.., ... of kOutputs sums, four each; all of w is asked for before the first is used, to keep
// the memory busy. kInside: all these terms exist.
template <bool kVector, bool kInside>
__device__ __forceinline__ void add_terms(float (&whole)[kOutputs][4], const float* const (&row)[kOutputs],
                                          const float* x_row, int k, int end) {
  float4 w[kTerms][kOutputs];
#pragma unroll
  for (int u = 0; u < kTerms; ++u) {
#pragma unroll
    for (int o = 0; o < kOutputs; ++o) {
      if constexpr (kVector && kInside) {
        w[u][o] = __ldcs(reinterpret_cast<const float4*>(row[o] + k + 128 * u));
      } else {
        w[u][o] = load4<kVector>(row[o], k + 128 * u, end);
      }
    }
  }
  float sum[kOutputs][4] = {};
#pragma unroll
  for (int u = 0; u < kTerms; ++u) {
    float4 x;
    if constexpr (kVector && kInside) {
      x = __ldg(reinterpret_cast<const float4*>(x_row + k + 128 * u));
    } else {
      x = load4<kVector>(x_row, k + 128 * u, end);
    }
#pragma unroll
    for (int o = 0; o < kOutputs; ++o) {
      sum[o][0] = fmaf(w[u][o].x, x.x, sum[o][0]);
      sum[o][1] = fmaf(w[u][o].y, x.y, sum[o][1]);
      sum[o][2] = fmaf(w[u][o].z, x.z, sum[o][2]);
      sum[o][3] = fmaf(w[u][o].w, x.w, sum[o][3]);
    }
  }
#pragma unroll
  for (int o = 0; o < kOutputs; ++o) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      whole[o][i] += sum[o][i];
    }
  }
}

// m = 1. One warp computes kOutputs neighbours: lane l takes the terms 4 l.., 128 + 4 l.., ...
template <bool kVector>
__global__ void __launch_bounds__(kFewThreads) multiply_one_row(const Product p) {
  const int lane = threadIdx.x % 32, c0 = (blockIdx.x * kFewWarps + threadIdx.x / 32) * kOutputs;
  const float* row[kOutputs];
#pragma unroll
  for (int o = 0; o < kOutputs; ++o) {
    row[o] = p.w + static_cast<size_t>(min(c0 + o, p.n - 1)) * p.k;
  }
  float whole[kOutputs][4] = {};
  int k = 4 * lane;
#pragma unroll 1
  for (; k - 4 * lane + 128 * kTerms <= p.k; k += 128 * kTerms) {
    add_terms<kVector, true>(whole, row, p.x, k, p.k);
  }
  if (k < p.k) {
    add_terms<kVector, false>(whole, row, p.x, k, p.k);
  }
#pragma unroll
  for (int o = 0; o < kOutputs; ++o) {
    float sum = (whole[o][0] + whole[o][1]) + (whole[o][2] + whole[o][3]);
#pragma unroll
    for (int d = 16; d; d /= 2) {
      sum += __shfl_xor_sync(0xffffffffu, sum, d);
    }
    if (lane == 0 && c0 + o < p.n) {
      p.y[c0 + o] = activate(p, sum, p.bias ? p.bias[c0 + o] : 0.f);
    }
  }
}

// v = hi + lo in TF32, which has the range of float32 and 11 bits; hi is rounded, and the hardware cuts lo.
__device__ __forceinline__ void split_tf32(float v, unsigned& hi, unsigned& lo) {
  hi = (__float_as_uint(v) + 0x1000u) & 0xffffe000u;
  lo = __float_as_uint(v - __uint_as_float(hi)) + 0x1000u;
}

__device__ __forceinline__ void mma_tf32(float* d, const unsigned* a, const unsigned* b) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// m <= 8 * kTiles. y^T = w x^T, so that w is the operand with 16 rows: a block owns 32 columns of y, and its eight
// warps share k in steps of 32. w goes from memory to registers, once. Every 16 terms are summed on the tensor core,
// then added. In a fragment, k is permuted (lane q of four holds 4 q.. of 16 neighbours), alike for both operands.
template <int kTiles, bool kVector>
__global__ void __launch_bounds__(kFewThreads, 2) multiply_few(const Product p) {
  constexpr int kRows = 8 * kTiles, kColumns = 32, kStep = 32;
  __shared__ float sums[kFewWarps][kRows][kColumns + 1];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, q = lane % 4;
  const int column0 = blockIdx.x * kColumns;
  const float* w_row[4];
  const float* x_row[kTiles];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    w_row[i] = p.w + static_cast<size_t>(min(column0 + 8 * i + g, p.n - 1)) * p.k;
  }
#pragma unroll
  for (int j = 0; j < kTiles; ++j) {
    x_row[j] = p.x + static_cast<size_t>(min(8 * j + g, p.m - 1)) * p.k;
  }
  float whole[2][kTiles][4] = {};
  for (int k0 = warp * kStep; k0 < p.k; k0 += kFewWarps * kStep) {
    float w[kStep / 16][4][4];
#pragma unroll
    for (int h = 0; h < kStep / 16; ++h) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        *reinterpret_cast<float4*>(w[h][i]) = load4<kVector>(w_row[i], k0 + 16 * h + 4 * q, p.k);
      }
    }
#pragma unroll
    for (int h = 0; h < kStep / 16; ++h) {
      float x[kTiles][4];
#pragma unroll
      for (int j = 0; j < kTiles; ++j) {
        *reinterpret_cast<float4*>(x[j]) = load4<kVector>(x_row[j], k0 + 16 * h + 4 * q, p.k);
      }
      float sum[2][kTiles][4] = {};
#pragma unroll
      for (int e = 0; e < 4; e += 2) {
        unsigned x_hi[kTiles][2], x_lo[kTiles][2], w_hi[2][4], w_lo[2][4];
#pragma unroll
        for (int j = 0; j < kTiles; ++j) {
          split_tf32(x[j][e], x_hi[j][0], x_lo[j][0]);
          split_tf32(x[j][e + 1], x_hi[j][1], x_lo[j][1]);
        }
#pragma unroll
        for (int i = 0; i < 2; ++i) {
#pragma unroll
          for (int r = 0; r < 4; ++r) {
            split_tf32(w[h][2 * i + r % 2][e + r / 2], w_hi[i][r], w_lo[i][r]);
          }
        }
#pragma unroll
        for (int i = 0; i < 2; ++i) {
#pragma unroll
          for (int j = 0; j < kTiles; ++j) {
            mma_tf32(sum[i][j], w_lo[i], x_hi[j]);
            mma_tf32(sum[i][j], w_hi[i], x_lo[j]);
            mma_tf32(sum[i][j], w_hi[i], x_hi[j]);
          }
        }
      }
#pragma unroll
      for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int j = 0; j < kTiles; ++j) {
#pragma unroll
          for (int r = 0; r < 4; ++r) {
            whole[i][j][r] += sum[i][j][r];
          }
        }
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
#pragma unroll
    for (int j = 0; j < kTiles; ++j) {
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        sums[warp][8 * j + 2 * q + r % 2][16 * i + g + r / 2 * 8] = whole[i][j][r];
      }
    }
  }
  __syncthreads();
  for (int o = threadIdx.x; o < kColumns * min(p.m, kRows); o += kFewThreads) {
    const int c = column0 + o % kColumns, row = o / kColumns;
    if (c >= p.n) {
      continue;
    }
    float sum = 0.f;
#pragma unroll
    for (int i = 0; i < kFewWarps; ++i) {
      sum += sums[i][row][o % kColumns];
    }
    if (!(fabsf(sum) < INFINITY)) {  // Inf - Inf in a split is NaN: compute it as PyTorch does
      sum = 0.f;
      for (int k = 0; k < p.k; ++k) {
        sum = fmaf(p.x[static_cast<size_t>(row) * p.k + k], p.w[static_cast<size_t>(c) * p.k + k], sum);
      }
    }
    p.y[static_cast<size_t>(row) * p.n + c] = activate(p, sum, p.bias ? p.bias[c] : 0.f);
  }
}

}  // namespace
