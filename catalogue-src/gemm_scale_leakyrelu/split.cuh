#pragma once

#include "interface.h"

#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace {

constexpr int kSliceWidth = 32;    // values of a row in one line of 128 bytes: 32 times hi, then 32 times lo
constexpr int kSliceMultiple = 4;  // rows are padded with zeros to so many lines: 128 values
constexpr int kLine = 2 * kSliceWidth;

// What is known of each row of a split matrix; `facts` holds each for all rows.
enum Fact { kInverseScale, kHazard, kNear4, kNear32 };

__host__ __device__ inline bool aligned(const float* values, int k) {
  return k % 4 == 0 && reinterpret_cast<size_t>(values) % 16 == 0;
}

// Four values of a row from column c on; zero behind its end. kVector: where `aligned` holds.
template <bool kVector>
__device__ __forceinline__ float4 load4(const float* row, int c, int k) {
  if constexpr (kVector) {
    return c < k ? *reinterpret_cast<const float4*>(row + c) : make_float4(0.f, 0.f, 0.f, 0.f);
  }
  return make_float4(c < k ? row[c] : 0.f, c + 1 < k ? row[c + 1] : 0.f, c + 2 < k ? row[c + 2] : 0.f,
                     c + 3 < k ? row[c + 3] : 0.f);
}

template <bool kVector>
__device__ __forceinline__ void load8(float* to, const float* row, int c, int k) {
  *reinterpret_cast<float4*>(to) = load4<kVector>(row, c, k);
  *reinterpret_cast<float4*>(to + 4) = load4<kVector>(row, c + 4, k);
}

constexpr int kRowThreads = 256;  // that split a row
constexpr int kColumnThreads = 256;
constexpr int kScaledExponent = 14;  // the largest value of a row is scaled into [2^14, 2^15); fp16 ends at 2^16
constexpr int kMostShift = 120;      // beyond it, scaling back could leave the range of float32

// v * scale = hi + lo, but for what fp16 cannot hold.
struct Parts {
  __half2 hi, lo;
};
__device__ __forceinline__ Parts split2(float a, float b) {
  const __half2 hi = __floats2half2_rn(a, b);
  const float2 h = __half22float2(hi);
  return {hi, __floats2half2_rn(a - h.x, b - h.y)};
}

// The power of two that a row is multiplied by; `wanted` is its exponent before it was clamped.
struct Scaling {
  int wanted, shift;
  float scale;
};
__device__ __forceinline__ Scaling scaling_of(unsigned largest) {
  const int exponent = static_cast<int>(largest >> 23) - 127;
  const int wanted = largest ? kScaledExponent - exponent : 0;
  const int shift = min(max(wanted, -126), 126);
  return {wanted, shift, __uint_as_float(static_cast<unsigned>(shift + 127) << 23)};
}

// What was seen of a row, or of a thread's share of it.
struct Seen {
  float near4 = 0.f, near32 = 0.f;  // numbers of elements
  bool lossy = false;
};

// Eight values, scaled, as 16 bytes of hi and 16 of lo.
__device__ __forceinline__ void split8(const float* v, float scale, float mean, Seen& seen, uint4& hi, uint4& lo) {
  __half2 his[4], los[4];
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const float a = v[2 * j] * scale, b = v[2 * j + 1] * scale;
    const Parts parts = split2(a, b);
    his[j] = parts.hi;
    los[j] = parts.lo;
    const float2 h = __half22float2(parts.hi), l = __half22float2(parts.lo);
    seen.lossy |= fabsf(a - h.x - l.x) > fabsf(a) * 0x1p-22f || fabsf(b - h.y - l.y) > fabsf(b) * 0x1p-22f;
    seen.near4 += (fabsf(a) >= mean * 0.25f) + (fabsf(b) >= mean * 0.25f);
    seen.near32 += (fabsf(a) >= mean * 0.03125f) + (fabsf(b) >= mean * 0.03125f);
  }
  hi = *reinterpret_cast<uint4*>(his);
  lo = *reinterpret_cast<uint4*>(los);
}

__device__ __forceinline__ void write_facts(float* facts, int rows, int row, int k, const Scaling& scaling, float mean,
                                            const Seen& seen) {
  const size_t size = rows;
  const bool extreme = abs(scaling.wanted) > kMostShift || !(mean < INFINITY);
  facts[kInverseScale * size + row] = __uint_as_float(static_cast<unsigned>(127 - scaling.shift) << 23);
  facts[kHazard * size + row] = extreme ? INFINITY : seen.lossy ? 1.f / mean : 0.f;
  facts[kNear4 * size + row] = seen.near4 / k;
  facts[kNear32 * size + row] = seen.near32 / k;
}

// lines[row][slice] = hi x 32, lo x 32, with hi + lo = value * 2^shift, a shift for each row.
// One block works on it; thread t takes eight values from 8 t on, then from 8 (t + kRowThreads), ...; the first 8192
// values stay in registers between the two passes. Moves 8 bytes an element.
//
// An element below 2^-14, scaled, has its lo cut at 2^-25: its loss is no longer small beside itself, but may still be
// beside the sum it goes into. The facts of two rows tell (`enough_bits`): hazard, one over the mean scaled magnitude,
// or 0 where splitting lost nothing, or infinite where the row is not finite or its scale extreme; near4 and near32,
// the shares of the row's elements that are at least a quarter, and a 32nd, of its mean magnitude.
template <bool kVector>
__device__ __forceinline__ void split_row(const float* __restrict__ values, int row, int rows, int k, int slices,
                                          __half* __restrict__ lines, float* __restrict__ facts) {
  constexpr int kKept = 1024 / kRowThreads;
  const int t = threadIdx.x;
  const float* from = values + static_cast<size_t>(row) * k;
  __half* to = lines + static_cast<size_t>(row) * slices * kLine;
  const int octets = slices * (kSliceWidth / 8);
  __shared__ float shared[2][kRowThreads / 32];

  float kept[kKept][8];
  unsigned largest = 0;  // the bits of a magnitude order as it does, Inf and NaN on top
  float sum = 0.f;
  auto examine = [&](const float* v) {
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      largest = max(largest, __float_as_uint(v[j]) & 0x7fffffffu);
      sum += fabsf(v[j]);
    }
  };
#pragma unroll
  for (int i = 0; i < kKept; ++i) {
    load8<kVector>(kept[i], from, 8 * (t + i * kRowThreads), k);
  }
#pragma unroll
  for (int i = 0; i < kKept; ++i) {
    examine(kept[i]);
  }
  for (int o = t + kKept * kRowThreads; o < octets; o += kRowThreads) {
    float v[8];
    load8<kVector>(v, from, 8 * o, k);
    examine(v);
  }
#pragma unroll
  for (int d = 16; d; d /= 2) {
    largest = max(largest, __shfl_xor_sync(0xffffffffu, largest, d));
    sum += __shfl_xor_sync(0xffffffffu, sum, d);
  }
  if (t % 32 == 0) {
    shared[0][t / 32] = __uint_as_float(largest);
    shared[1][t / 32] = sum;
  }
  __syncthreads();
  largest = 0;
  sum = 0.f;
#pragma unroll
  for (int i = 0; i < kRowThreads / 32; ++i) {
    largest = max(largest, __float_as_uint(shared[0][i]));
    sum += shared[1][i];
  }
  __syncthreads();

  const Scaling scaling = scaling_of(largest);
  const float mean = sum * scaling.scale / k;
  Seen seen;
  auto write = [&](const float* v, int o) {
    __half* line = to + static_cast<size_t>(o / 4) * kLine + o % 4 * 8;
    split8(v, scaling.scale, mean, seen, *reinterpret_cast<uint4*>(line),
           *reinterpret_cast<uint4*>(line + kSliceWidth));
  };
#pragma unroll
  for (int i = 0; i < kKept; ++i) {
    if (t + i * kRowThreads < octets) {
      write(kept[i], t + i * kRowThreads);
    }
  }
  for (int o = t + kKept * kRowThreads; o < octets; o += kRowThreads) {
    float v[8];
    load8<kVector>(v, from, 8 * o, k);
    write(v, o);
  }
#pragma unroll
  for (int d = 16; d; d /= 2) {
    seen.near4 += __shfl_xor_sync(0xffffffffu, seen.near4, d);
    seen.near32 += __shfl_xor_sync(0xffffffffu, seen.near32, d);
  }
  if (t % 32 == 0) {
    shared[0][t / 32] = seen.near4;
    shared[1][t / 32] = seen.near32;
  }
  seen.lossy = __syncthreads_or(seen.lossy);
  if (t == 0) {
    seen.near4 = seen.near32 = 0.f;
    for (int i = 0; i < kRowThreads / 32; ++i) {
      seen.near4 += shared[0][i];
      seen.near32 += shared[1][i];
    }
    write_facts(facts, rows, row, k, scaling, mean, seen);
  }
}

// A matrix and its split. slice: of which a check looks at each row, or kAllSlices where there is none.
struct SplitTask {
  const float* values;
  int rows, slice;
  __half* lines;
  float* facts;
};

constexpr int kCheckLanes = kSliceWidth / 4;  // of a row: four values each
constexpr int kRowsChecked = kRowThreads / kCheckLanes;

// Whether four values' parts are, to the bit, what a line has of them.
__device__ __forceinline__ bool is_split(const Parts& first, const Parts& second, const __half* line) {
  const __half2* hi = reinterpret_cast<const __half2*>(line);
  const __half2* lo = reinterpret_cast<const __half2*>(line + kSliceWidth);
  auto bits = [](const __half2& pair) { return *reinterpret_cast<const unsigned*>(&pair); };
  return bits(first.hi) == bits(hi[0]) && bits(second.hi) == bits(hi[1]) && bits(first.lo) == bits(lo[0]) &&
         bits(second.lo) == bits(lo[1]);
}

// Looks at one slice of kRowsChecked rows from row0 on: whether one of them is not what was split, and which. Something
// changed it that PyTorch does not count, such as weight.data.mul_(), or an optimizer in a CUDA graph.
template <bool kVector>
__device__ __forceinline__ bool find_changed(const SplitTask& task, int row0, int k, int slices, int* changed) {
  const int r = threadIdx.x / kCheckLanes, row = row0 + r, c = threadIdx.x % kCheckLanes * 4;
  bool differs = false;
  if (row < task.rows) {
    const float4 v = load4<kVector>(task.values + static_cast<size_t>(row) * k, task.slice * kSliceWidth + c, k);
    const float scale = 1.f / task.facts[row];
    const __half* line = task.lines + (static_cast<size_t>(row) * slices + task.slice) * kLine + c;
    differs = !is_split(split2(v.x * scale, v.y * scale), split2(v.z * scale, v.w * scale), line);
  }
  if (threadIdx.x < kRowsChecked) {
    changed[threadIdx.x] = 0;
  }
  __syncthreads();
  if (differs) {
    changed[r] = 1;
  }
  return __syncthreads_or(differs);
}

// The first blocks split a row of one matrix each. The others do the same with another one, which may have no rows, or
// check its split, and split rows that changed.
template <bool kVector>
__global__ void __launch_bounds__(kRowThreads, 4)
    split_rows(const SplitTask first, const SplitTask beside, int k, int slices) {
  __shared__ int changed[kRowsChecked];
  const int block = blockIdx.x;
  const bool is_first = block < first.rows;
  const SplitTask task = is_first ? first : beside;
  const int unit = is_first ? block : block - first.rows;
  const bool checks = task.slice != kAllSlices;
  const int rows = checks ? kRowsChecked : 1, row0 = unit * rows;
  if (checks && !find_changed<kVector>(task, row0, k, slices, changed)) {
    return;
  }
  for (int i = 0; i < rows; ++i) {
    if (!checks || changed[i]) {
      split_row<kVector>(task.values, row0 + i, task.rows, k, slices, task.lines, task.facts);
      __syncthreads();  // before the next one writes to shared memory
    }
  }
}

// The same for rows that are the columns of `values` (k, rows). A block works on 32 of them, in two passes: lane l of
// each warp looks at row l, for the largest and the mean first; then it splits a slice of it, 32 values, and the warp
// turns 32 such lines in shared memory, so that it writes whole ones. The chunk c of row r lies there at c ^ (r % 8),
// so that both accesses meet every bank once.
__global__ void __launch_bounds__(kColumnThreads, 2)
    split_columns(const float* __restrict__ values, int rows, int k, int slices, __half* __restrict__ lines,
                  float* __restrict__ facts) {
  constexpr int kWarps = kColumnThreads / 32, kAtOnce = 16, kChunks = 8;
  __shared__ uint4 turned[kWarps][32][kChunks];
  __shared__ float shared[3][kWarps][32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row0 = blockIdx.x * 32, row = row0 + lane;
  const float* from = values + min(row, rows - 1);

  unsigned largest = 0;
  float sum = 0.f;
  for (int k0 = warp * kAtOnce; k0 < k; k0 += kWarps * kAtOnce) {
    float v[kAtOnce];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      v[i] = k0 + i < k ? from[static_cast<size_t>(k0 + i) * rows] : 0.f;
    }
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      largest = max(largest, __float_as_uint(v[i]) & 0x7fffffffu);
      sum += fabsf(v[i]);
    }
  }
  shared[0][warp][lane] = __uint_as_float(largest);
  shared[1][warp][lane] = sum;
  __syncthreads();
  largest = 0;
  sum = 0.f;
#pragma unroll
  for (int i = 0; i < kWarps; ++i) {
    largest = max(largest, __float_as_uint(shared[0][i][lane]));
    sum += shared[1][i][lane];
  }
  __syncthreads();

  const Scaling scaling = scaling_of(largest);
  const float mean = sum * scaling.scale / k;
  Seen seen;
  for (int slice = warp; slice < slices; slice += kWarps) {
    float v[kSliceWidth];
#pragma unroll
    for (int i = 0; i < kSliceWidth; ++i) {
      const int c = slice * kSliceWidth + i;
      v[i] = c < k ? from[static_cast<size_t>(c) * rows] : 0.f;
    }
    __syncwarp();  // the lines before these have been read
#pragma unroll
    for (int c = 0; c < kChunks / 2; ++c) {
      split8(v + 8 * c, scaling.scale, mean, seen, turned[warp][lane][c ^ lane % 8],
             turned[warp][lane][(c + kChunks / 2) ^ lane % 8]);
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int r = 4 * i + lane / 8, c = lane % 8;
      if (row0 + r < rows) {
        __half* line = lines + (static_cast<size_t>(row0 + r) * slices + slice) * kLine;
        *reinterpret_cast<uint4*>(line + 8 * c) = turned[warp][r][c ^ r % 8];
      }
    }
  }
  shared[0][warp][lane] = seen.near4;
  shared[1][warp][lane] = seen.near32;
  shared[2][warp][lane] = seen.lossy;
  __syncthreads();
  if (warp == 0 && row < rows) {
    seen = {};
    for (int i = 0; i < kWarps; ++i) {
      seen.near4 += shared[0][i][lane];
      seen.near32 += shared[1][i][lane];
      seen.lossy |= shared[2][i][lane] != 0.f;
    }
    write_facts(facts, rows, row, k, scaling, mean, seen);
  }
}

// What a row of x and a row of w, or the worst of several rows, are known to have.
struct RowFacts {
  float hazard, near4, near32;
};

// Whether the sum over k of x w has all the bits of float32 although elements below 2^-14 lost some.
// Lost is at most 2^-25 (mean |x| + mean |w|) k. Of all k, at least near_x + near_w - 1 (shares) have both factors
// near their means, so that the sum of |x w| is at least k (near_x + near_w - 1) mean |x| mean |w| / (4 or 32)^2.
// The quotient may be two units of 2^-24.
__device__ __forceinline__ bool enough_bits(const RowFacts& x, const RowFacts& w) {
  const float hazard = x.hazard + w.hazard;
  const float both = fmaxf(fmaxf((x.near4 + w.near4 - 1.f) / 16.f, (x.near32 + w.near32 - 1.f) / 1024.f),
                           (fmaxf(x.near4 + w.near32, x.near32 + w.near4) - 1.f) / 128.f);
  return hazard == 0.f || 0.5f * hazard <= 2.f * both;
}

// The fused rest, in the order in which PyTorch rounds: bias, multiplier, activation.
__device__ __forceinline__ float activate(const Product& p, float sum, float bias) {
  const float v = (sum + bias) * p.multiplier;
  return v > 0.f ? v : v * p.slope;
}

// A sum of scaled products, scaled back; the smaller factor first, so that nothing overflows on the way.
__device__ __forceinline__ float unscale(float sum, float x_inverse, float w_inverse) {
  return sum * fminf(x_inverse, w_inverse) * fmaxf(x_inverse, w_inverse);
}

// What the split products take. parts > 1: sums[part] (m, n) gets the sum over the part's slices, still scaled.
struct SplitProduct {
  Product p;
  const __half* x;
  const __half* w;
  const float* x_inverse;
  const float* w_inverse;
  float* sums;
  int slices, parts, part_slices;  // part p sums slices part_slices * p onwards
};

// Two neighbours of a row, columns c and c + 1; what is at or behind `end` is let be.
__device__ __forceinline__ float2 load2(const float* row, int c, int end, bool aligned_pair) {
  if (aligned_pair && c + 1 < end) {
    return *reinterpret_cast<const float2*>(row + c);
  }
  return make_float2(c < end ? row[c] : 0.f, c + 1 < end ? row[c + 1] : 0.f);
}

__device__ __forceinline__ void store2(float* row, int c, int end, bool aligned_pair, float a, float b) {
  if (aligned_pair && c + 1 < end) {
    __stcs(reinterpret_cast<float2*>(row + c), make_float2(a, b));
    return;
  }
  if (c < end) {
    row[c] = a;
  }
  if (c + 1 < end) {
    row[c + 1] = b;
  }
}

// A thread's share of a tile: kPairs pairs in each of two rows, 8 columns apart, in front of column `end`. at(pair, h)
// points to the pair's two sums in the row h, which is row + 8 h.
template <int kPairs, typename At>
__device__ __forceinline__ void store_pairs(const SplitProduct& s, int part, int row, int column, int end, At at) {
  const bool even = s.p.n % 2 == 0, even_bias = even && reinterpret_cast<size_t>(s.p.bias) % 8 == 0;
  if (s.parts > 1) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      if (row + 8 * h < s.p.m) {
        float* to = s.sums + (static_cast<size_t>(part) * s.p.m + row + 8 * h) * s.p.n;
#pragma unroll
        for (int j = 0; j < kPairs; ++j) {
          const float* pair = at(j, h);
          store2(to, column + 8 * j, end, even, pair[0], pair[1]);
        }
      }
    }
    return;
  }
  const float x_inverse[2] = {s.x_inverse[min(row, s.p.m - 1)], s.x_inverse[min(row + 8, s.p.m - 1)]};
#pragma unroll
  for (int j = 0; j < kPairs; ++j) {
    const int c = column + 8 * j;
    const float2 w_inverse = load2(s.w_inverse, c, end, even);
    const float2 bias = s.p.bias ? load2(s.p.bias, c, end, even_bias) : make_float2(0.f, 0.f);
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      if (row + 8 * h < s.p.m) {
        const float* pair = at(j, h);
        store2(s.p.y + static_cast<size_t>(row + 8 * h) * s.p.n, c, end, even,
               activate(s.p, unscale(pair[0], x_inverse[h], w_inverse.x), bias.x),
               activate(s.p, unscale(pair[1], x_inverse[h], w_inverse.y), bias.y));
      }
    }
  }
}

// A kernel of `launch_next` may start while the one before it ends; what that one wrote is there from here on.
__device__ __forceinline__ void wait_for_previous() {
#if defined(WITH_WGMMA) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

constexpr int kFinishThreads = 256;

// y from the partial sums, which are added in the order of their parts: the result is the same in every call.
// Block (i, row) does the columns 4 * kFinishThreads * i onwards, a thread four of them. kVector: n is a multiple of 4.
template <bool kVector>
__global__ void __launch_bounds__(kFinishThreads) add_parts(const SplitProduct s) {
  wait_for_previous();
  const int c = 4 * (blockIdx.x * kFinishThreads + threadIdx.x);
  const size_t size = static_cast<size_t>(s.p.m) * s.p.n;
  for (int row = blockIdx.y; row < s.p.m; row += gridDim.y) {
    const float* from = s.sums + static_cast<size_t>(row) * s.p.n;
    float sum[4] = {};
    for (int part = 0; part < s.parts; ++part) {
      const float4 more = load4<kVector>(from + part * size, c, s.p.n);
      sum[0] += more.x;
      sum[1] += more.y;
      sum[2] += more.z;
      sum[3] += more.w;
    }
    const float x_inverse = s.x_inverse[row];
    float* to = s.p.y + static_cast<size_t>(row) * s.p.n;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      if (c + e < s.p.n) {
        const float bias = s.p.bias ? s.p.bias[c + e] : 0.f;
        sum[e] = activate(s.p, unscale(sum[e], x_inverse, s.w_inverse[c + e]), bias);
      }
    }
    if (kVector && c < s.p.n) {
      *reinterpret_cast<float4*>(to + c) = make_float4(sum[0], sum[1], sum[2], sum[3]);
      continue;
    }
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      if (c + e < s.p.n) {
        to[c + e] = sum[e];
      }
    }
  }
}

}  // namespace
