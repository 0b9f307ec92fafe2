"""CUDA of a generated program, for either thing that is kept for the gradient: a mask, or the input."""

DEVICE_MASK = """\
// The choice behind d y / d x, which takes one of two values: a bit of the mask.
template <typename T>
__device__ __forceinline__ bool keeps(Wide<T> x, const Numbers& p) {
  using W = Wide<T>;
@CONDITION_LINES@
}
template <typename T>
__device__ __forceinline__ Wide<T> slope(bool kept, const Numbers& p) {
  using W = Wide<T>;
@SLOPE_LINES@
}
"""
DEVICE_INPUT = """\
// d y / d x, from x itself.
template <typename T>
__device__ __forceinline__ Wide<T> slope(Wide<T> x, const Numbers& p) {
  using W = Wide<T>;
@SLOPE_LINES@
}
"""
KERNELS_MASK = """\
template <typename T, int each>
__global__ void __launch_bounds__(kThreads)
    forward_kernel(const T* x, T* y, unsigned char* mask, int64_t n, bool aligned, Numbers p) {
  T value[each];
  load(x, value, n, aligned);
  unsigned bits = 0;
#pragma unroll
  for (int k = 0; k < each; ++k) {
    const Wide<T> wide = widen(value[k]);
    if (mask != nullptr) bits |= unsigned(keeps<T>(wide, p)) << k;
    value[k] = narrow<T>(forward<T>(wide, p));
  }
  store(y, value, n, aligned);
  if (mask != nullptr) mask[blockIdx.x * int64_t(kThreads) + threadIdx.x] = static_cast<unsigned char>(bits);
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    backward_kernel(const T* grad, const unsigned char* mask, T* grad_x, int64_t n, bool aligned, Numbers p) {
  T value[kEach];
  load(grad, value, n, aligned);
  const unsigned bits = mask[blockIdx.x * int64_t(kThreads) + threadIdx.x];
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    value[k] = narrow<T>(widen(value[k]) * slope<T>(bits >> k & 1, p));
  }
  store(grad_x, value, n, aligned);
}
"""
KERNELS_INPUT = """\
template <typename T, int each>
__global__ void __launch_bounds__(kThreads) forward_kernel(const T* x, T* y, int64_t n, bool aligned, Numbers p) {
  T value[each];
  load(x, value, n, aligned);
#pragma unroll
  for (int k = 0; k < each; ++k) {
    value[k] = narrow<T>(forward<T>(widen(value[k]), p));
  }
  store(y, value, n, aligned);
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    backward_kernel(const T* grad, const T* x, T* grad_x, int64_t n, bool aligned, Numbers p) {
  T value[kEach], at[kEach];
  load(grad, value, n, aligned);
  load(x, at, n, aligned);
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    value[k] = narrow<T>(widen(value[k]) * slope<T>(widen(at[k]), p));
  }
  store(grad_x, value, n, aligned);
}
"""
