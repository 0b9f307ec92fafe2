#pragma once

#include "numbers.cuh"
#include "walk.h"

// The kernels of an operator that computes each element by itself, and keeps one bit of it for the gradient. The
// operator defines what they compute, as arguments of the kernels:
//   Forward<T>::loaded() gives what is called for an element: y = loaded(x, &bit)
//   Backward<T> is called for an element: grad_x = backward(bit, grad)

// The mask: bit i % 32 of word i / 32 belongs to element i, counted in the order in which y lies in memory.

// 16 bytes, moved by one load or store.
template <typename T>
struct alignas(16) Pack {
  static constexpr int size = 16 / sizeof(T);
  T value[size];
};

constexpr int kThreads = 128;
constexpr unsigned kAllLanes = 0xffffffffu;

// Dense: thread t owns the pack of elements [t * size, (t + 1) * size). The last pack may be partial.
template <typename T, bool kWithMask>
__global__ void __launch_bounds__(kThreads)
    forward_dense(const T* x, T* y, uint32_t* mask, int64_t n, Forward<T> given) {
  constexpr int kSize = Pack<T>::size;
  const int64_t first = (static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x) * kSize;
  const auto forward = given.loaded();
  uint32_t bits = 0;
  if (first + kSize <= n) {
    Pack<T> pack = *reinterpret_cast<const Pack<T>*>(x + first);
#pragma unroll
    for (int k = 0; k < kSize; ++k) {
      bool keep;
      pack.value[k] = forward(pack.value[k], &keep);
      bits |= static_cast<uint32_t>(keep) << k;
    }
    *reinterpret_cast<Pack<T>*>(y + first) = pack;
  } else {
    for (int k = 0; first + k < n; ++k) {
      bool keep;
      y[first + k] = forward(x[first + k], &keep);
      bits |= static_cast<uint32_t>(keep) << k;
    }
  }
  if (kWithMask) {
    // 32 / size neighbouring threads put their bits together into one word. All of them get here, also behind the end.
    constexpr int kGroup = 32 / kSize;
    bits <<= threadIdx.x % kGroup * kSize;
#pragma unroll
    for (int distance = 1; distance < kGroup; distance *= 2) {
      bits |= __shfl_xor_sync(kAllLanes, bits, distance);
    }
    if (threadIdx.x % kGroup == 0 && first < n) {
      mask[first / 32] = bits;
    }
  }
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    backward_dense(const T* grad, const uint32_t* mask, T* grad_x, int64_t n, Backward<T> backward) {
  constexpr int kSize = Pack<T>::size;
  const int64_t first = (static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x) * kSize;
  if (first >= n) {
    return;
  }
  if (first + kSize <= n) {
    // Both loads before the first use of either, or they wait for each other.
    Pack<T> pack = *reinterpret_cast<const Pack<T>*>(grad + first);
    const uint32_t bits = mask[first / 32] >> (first % 32);
#pragma unroll
    for (int k = 0; k < kSize; ++k) {
      pack.value[k] = backward(bits >> k & 1, pack.value[k]);
    }
    *reinterpret_cast<Pack<T>*>(grad_x + first) = pack;
  } else {
    const uint32_t bits = mask[first / 32] >> (first % 32);
    for (int k = 0; first + k < n; ++k) {
      grad_x[first + k] = backward(bits >> k & 1, grad[first + k]);
    }
  }
}

// i / size. Below 2^31 by a multiplication (Granlund and Montgomery, with the host's magic and shift).
__device__ __forceinline__ uint32_t quotient(uint32_t i, const Dimension& dim) {
  return (__umulhi(i, dim.magic) + i) >> dim.shift;
}
__device__ __forceinline__ uint64_t quotient(uint64_t i, const Dimension& dim) {
  return i >> 31 == 0 ? quotient(static_cast<uint32_t>(i), dim) : i / static_cast<uint64_t>(dim.size);
}

// Any layout: a thread takes kItems elements, kThreads apart. So a warp has 32 elements in a row, one word of the mask,
// and all loads of a thread are on their way before the first is used.
constexpr int kItems = 4;

// Where a thread's elements are, counted from the start of in and out. Index: uint32_t for a narrow walk, or uint64_t.
template <typename Index>
struct Places {
  Index in[kItems], out[kItems];
};

// Element i has the index (i % size[0], i / size[0] % size[1], ...).
template <typename Index>
__device__ __forceinline__ Places<Index> places(const Walk& walk, Index first) {
  Places<Index> at{};
  Index left[kItems];
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    left[k] = first + k * kThreads;
  }
#pragma unroll 1  // a call of a few microseconds waits for its instructions: the fewer, the sooner they are there
  for (int d = 0; d < walk.dims; ++d) {
    const Dimension& dim = walk.dim[d];
    const bool last = d + 1 == walk.dims;
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      const Index next = last ? 0 : quotient(left[k], dim);
      const Index index = left[k] - next * static_cast<Index>(dim.size);
      at.in[k] += index * static_cast<Index>(dim.in_stride);
      at.out[k] += index * static_cast<Index>(dim.out_stride);
      left[k] = next;
    }
  }
  return at;
}

template <typename T, bool kWithMask, typename Index>
__global__ void __launch_bounds__(kThreads)
    forward_strided(const T* x, T* y, uint32_t* mask, Index n, Walk walk, Forward<T> given) {
  const auto forward = given.loaded();
  const Index first = static_cast<Index>(blockIdx.x) * (kThreads * kItems) + threadIdx.x;
  const Places<Index> at = places(walk, first);
  T value[kItems];
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    const Index i = first + k * kThreads;
    if (i < n) {
      value[k] = x[at.in[k]];
    }
  }
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    const Index i = first + k * kThreads;
    bool keep = false;
    if (i < n) {
      y[at.out[k]] = forward(value[k], &keep);
    }
    if (kWithMask) {
      const uint32_t word = __ballot_sync(kAllLanes, keep);
      if (threadIdx.x % 32 == 0 && i < n) {
        mask[i / 32] = word;
      }
    }
  }
}

template <typename T, typename Index>
__global__ void __launch_bounds__(kThreads)
    backward_strided(const T* grad, const uint32_t* mask, T* grad_x, Index n, Walk walk, Backward<T> backward) {
  const Index first = static_cast<Index>(blockIdx.x) * (kThreads * kItems) + threadIdx.x;
  const Places<Index> at = places(walk, first);
  T value[kItems];
  uint32_t word[kItems];
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    const Index i = first + k * kThreads;
    if (i < n) {
      value[k] = grad[at.in[k]];
      word[k] = mask[i / 32];
    }
  }
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    const Index i = first + k * kThreads;
    if (i < n) {
      grad_x[at.out[k]] = backward(word[k] >> (i % 32) & 1, value[k]);
    }
  }
}
