#pragma once

#include "../shared/numbers.cuh"

// forward:  t = x * m; y = t > 0 ? t : slope * t    mask bit: t > 0, so 0, -0 and NaN are on the side of the slope
template <typename T>
struct Loaded {
  Wide<T> m, slope;
  __device__ __forceinline__ T operator()(T x, bool* keep) const {
    const T t = times(x, m);
    *keep = positive(t);
    return *keep ? t : times(t, slope);
  }
};
// The multiplier as the kernels take it. A number is not rounded to T before it multiplies: neither does PyTorch.
template <typename T>
struct Forward {
  Wide<T> multiplier;
  const T* pointer;
  Wide<T> slope;
  __device__ __forceinline__ Loaded<T> loaded() const {
    return {pointer == nullptr ? multiplier : Number<T>::widen(*pointer), slope};
  }
};
// backward: grad_x = (bit ? grad : slope * grad) * m
template <typename T>
struct Backward {
  Wide<T> m, slope;
  __device__ __forceinline__ T operator()(bool keep, T grad) const {
    return times(keep ? grad : times(grad, slope), m);
  }
};

#include "../shared/masked_kernels.cuh"

// grad_x as above, the choice made anew from x, and
//   grad_m = sum over i of (t[i] > 0 ? grad[i] : slope * grad[i]) * x[i]
// A grid as large as the device holds at once (five blocks a multiprocessor: 40 KiB of loads on their way) strides over
// the packs. Every thread adds up its own products, the warp by shuffles, the block in shared memory, and the host adds
// up parts[block]: always in the same order.
constexpr int kBothThreads = 256;
constexpr int kBothBlocks = 5;

template <typename T>
__global__ void __launch_bounds__(kBothThreads, kBothBlocks)
    backward_both(const T* grad, const T* x, T* grad_x, Wide<T>* parts, int64_t n, const T* multiplier, Wide<T> slope) {
  constexpr int kSize = Pack<T>::size;
  const Wide<T> m = Number<T>::widen(*multiplier);
  const int64_t step = static_cast<int64_t>(gridDim.x) * kBothThreads * kSize;
  Wide<T> sum[kSize] = {};
  for (int64_t first = (static_cast<int64_t>(blockIdx.x) * kBothThreads + threadIdx.x) * kSize; first < n;
       first += step) {
    Pack<T> g, a;
    const bool whole = first + kSize <= n;
    if (whole) {
      g = *reinterpret_cast<const Pack<T>*>(grad + first);
      a = *reinterpret_cast<const Pack<T>*>(x + first);
    }
#pragma unroll
    for (int k = 0; k < kSize; ++k) {
      if (whole || first + k < n) {
        const T value = whole ? a.value[k] : x[first + k];
        const T upstream = whole ? g.value[k] : grad[first + k];
        const T chosen = positive(times(value, m)) ? upstream : times(upstream, slope);
        sum[k] += Number<T>::widen(chosen) * Number<T>::widen(value);
        g.value[k] = times(chosen, m);
      }
    }
    if (whole) {
      *reinterpret_cast<Pack<T>*>(grad_x + first) = g;
    } else {
#pragma unroll
      for (int k = 0; k < kSize; ++k) {
        if (first + k < n) {
          grad_x[first + k] = g.value[k];
        }
      }
    }
  }

  Wide<T> total = 0;
#pragma unroll
  for (int k = 0; k < kSize; ++k) {
    total += sum[k];
  }
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    total += __shfl_xor_sync(kAllLanes, total, distance);
  }
  __shared__ Wide<T> of_warp[kBothThreads / 32];
  if (threadIdx.x % 32 == 0) {
    of_warp[threadIdx.x / 32] = total;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int warp = 1; warp < kBothThreads / 32; ++warp) {
      total += of_warp[warp];
    }
    parts[blockIdx.x] = total;
  }
}
