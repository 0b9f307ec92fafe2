#pragma once

#include "../shared/numbers.cuh"

// forward:  y = x > 0 ? x : slope * x            mask bit: x > 0, so 0, -0 and NaN are on the side of the slope
template <typename T>
struct Forward {
  Wide<T> slope;
  __device__ __forceinline__ Forward loaded() const { return *this; }
  __device__ __forceinline__ T operator()(T x, bool* keep) const {
    *keep = positive(x);
    return *keep ? x : times(x, slope);
  }
};
// backward: grad_x = bit ? grad : slope * grad   the same choice, by the bit that forward wrote
template <typename T>
struct Backward {
  Wide<T> slope;
  __device__ __forceinline__ T operator()(bool keep, T grad) const { return keep ? grad : times(grad, slope); }
};

#include "../shared/masked_kernels.cuh"
