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
template <bool whole, bool masked, typename T, int each>
__device__ __forceinline__ void forward_block(const T* x, T* y, unsigned char* mask, int64_t n, const Numbers& p) {
  T value[each];
  load<whole>(x, value, n);
  unsigned bits = 0;
#pragma unroll
  for (int k = 0; k < each; ++k) {
    const Wide<T> wide = widen(value[k]);
    if (masked) bits |= unsigned(keeps<T>(wide, p)) << k;
    value[k] = narrow<T>(forward<T>(wide, p));
  }
  store<whole>(y, value, n);
  if (masked) mask[blockIdx.x * int64_t(kThreads) + threadIdx.x] = static_cast<unsigned char>(bits);
}
template <bool masked, typename T, int each>
__global__ void __launch_bounds__(kThreads)
    forward_kernel(const T* x, T* y, unsigned char* mask, int64_t n, bool aligned, Numbers p) {
  if (is_whole<each>(n, aligned)) forward_block<true, masked, T, each>(x, y, mask, n, p);
  else forward_block<false, masked, T, each>(x, y, mask, n, p);
}
template <bool masked, typename T, int each>
void start_forward(const T* x, T* y, void* kept, int64_t n, bool aligned, Numbers p, void* stream) {
  const int64_t blocks = (n + kThreads * each - 1) / (kThreads * each);
  forward_kernel<masked, T, each><<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
      x, y, static_cast<unsigned char*>(kept), n, aligned, p);
}
template <typename T>
int forward_as(const void* from, void* to, void* kept, int64_t n, bool aligned, Numbers p, void* stream) {
  const T* x = static_cast<const T*>(from);
  T* y = static_cast<T*>(to);
  if (kept != nullptr) start_forward<true, T, kEach>(x, y, kept, n, aligned, p, stream);
  // A word a thread where there are few: more of the GPU's processors have work.
  else if (n <= kFew) start_forward<false, T, kWord<T>>(x, y, nullptr, n, aligned, p, stream);
  else start_forward<false, T, kEach>(x, y, nullptr, n, aligned, p, stream);
  return cudaGetLastError();
}

template <bool whole, typename T>
__device__ __forceinline__ void backward_block(const T* grad, const unsigned char* mask, T* grad_x, int64_t n,
                                               const Numbers& p) {
  T value[kEach];
  load<whole>(grad, value, n);
  const unsigned bits = mask[blockIdx.x * int64_t(kThreads) + threadIdx.x];
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    value[k] = narrow<T>(widen(value[k]) * slope<T>(bits >> k & 1, p));
  }
  store<whole>(grad_x, value, n);
}
template <typename T>
__global__ void __launch_bounds__(kThreads)
    backward_kernel(const T* grad, const unsigned char* mask, T* grad_x, int64_t n, bool aligned, Numbers p) {
  if (is_whole<kEach>(n, aligned)) backward_block<true>(grad, mask, grad_x, n, p);
  else backward_block<false>(grad, mask, grad_x, n, p);
}
"""
KERNELS_INPUT = """\
template <bool whole, typename T, int each>
__device__ __forceinline__ void forward_block(const T* x, T* y, int64_t n, const Numbers& p) {
  T value[each];
  load<whole>(x, value, n);
#pragma unroll
  for (int k = 0; k < each; ++k) {
    value[k] = narrow<T>(forward<T>(widen(value[k]), p));
  }
  store<whole>(y, value, n);
}
template <typename T, int each>
__global__ void __launch_bounds__(kThreads) forward_kernel(const T* x, T* y, int64_t n, bool aligned, Numbers p) {
  if (is_whole<each>(n, aligned)) forward_block<true, T, each>(x, y, n, p);
  else forward_block<false, T, each>(x, y, n, p);
}
template <typename T, int each>
void start_forward(const T* x, T* y, int64_t n, bool aligned, Numbers p, void* stream) {
  const int64_t blocks = (n + kThreads * each - 1) / (kThreads * each);
  forward_kernel<T, each><<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(x, y, n, aligned, p);
}
template <typename T>
int forward_as(const void* from, void* to, void*, int64_t n, bool aligned, Numbers p, void* stream) {
  const T* x = static_cast<const T*>(from);
  T* y = static_cast<T*>(to);
  // A word a thread where there are few: more of the GPU's processors have work.
  if (n <= kFew) start_forward<T, kWord<T>>(x, y, n, aligned, p, stream);
  else start_forward<T, kEach>(x, y, n, aligned, p, stream);
  return cudaGetLastError();
}

template <bool whole, typename T>
__device__ __forceinline__ void backward_block(const T* grad, const T* x, T* grad_x, int64_t n, const Numbers& p) {
  T value[kEach], at[kEach];
  load<whole>(grad, value, n);
  load<whole>(x, at, n);
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    value[k] = narrow<T>(widen(value[k]) * slope<T>(widen(at[k]), p));
  }
  store<whole>(grad_x, value, n);
}
template <typename T>
__global__ void __launch_bounds__(kThreads)
    backward_kernel(const T* grad, const T* x, T* grad_x, int64_t n, bool aligned, Numbers p) {
  if (is_whole<kEach>(n, aligned)) backward_block<true>(grad, x, grad_x, n, p);
  else backward_block<false>(grad, x, grad_x, n, p);
}
"""
