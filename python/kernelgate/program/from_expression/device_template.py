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
template <typename T>
__global__ void __launch_bounds__(kThreads)
    forward_kernel(const T* x, T* y, unsigned char* mask, int64_t n, bool aligned, Numbers p) {
  const int64_t first = (blockIdx.x * int64_t(kThreads) + threadIdx.x) * kEach;
  if (first >= n) return;
  const int count = n - first < kEach ? int(n - first) : kEach;
  T value[kEach];
  load(x + first, value, count, aligned);
  unsigned bits = 0;
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const Wide<T> wide = widen(value[k]);
    if (mask != nullptr) bits |= unsigned(keeps<T>(wide, p)) << k;
    value[k] = narrow<T>(forward<T>(wide, p));
  }
  store(y + first, value, count, aligned);
  if (mask != nullptr) mask[first / kEach] = static_cast<unsigned char>(bits);
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    backward_kernel(const T* grad, const unsigned char* mask, T* grad_x, int64_t n, bool aligned, Numbers p) {
  const int64_t first = (blockIdx.x * int64_t(kThreads) + threadIdx.x) * kEach;
  if (first >= n) return;
  const int count = n - first < kEach ? int(n - first) : kEach;
  T value[kEach];
  load(grad + first, value, count, aligned);
  const unsigned bits = mask[first / kEach];
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    value[k] = narrow<T>(widen(value[k]) * slope<T>(bits >> k & 1, p));
  }
  store(grad_x + first, value, count, aligned);
}
"""
KERNELS_INPUT = """\
template <typename T>
__global__ void __launch_bounds__(kThreads) forward_kernel(const T* x, T* y, int64_t n, bool aligned, Numbers p) {
  const int64_t first = (blockIdx.x * int64_t(kThreads) + threadIdx.x) * kEach;
  if (first >= n) return;
  const int count = n - first < kEach ? int(n - first) : kEach;
  T value[kEach];
  load(x + first, value, count, aligned);
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    value[k] = narrow<T>(forward<T>(widen(value[k]), p));
  }
  store(y + first, value, count, aligned);
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    backward_kernel(const T* grad, const T* x, T* grad_x, int64_t n, bool aligned, Numbers p) {
  const int64_t first = (blockIdx.x * int64_t(kThreads) + threadIdx.x) * kEach;
  if (first >= n) return;
  const int count = n - first < kEach ? int(n - first) : kEach;
  T value[kEach], at[kEach];
  load(grad + first, value, count, aligned);
  load(x + first, at, count, aligned);
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    value[k] = narrow<T>(widen(value[k]) * slope<T>(widen(at[k]), p));
  }
  store(grad_x + first, value, count, aligned);
}
"""
