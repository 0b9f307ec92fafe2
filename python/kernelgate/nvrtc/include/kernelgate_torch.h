// A small rewrite, for NVRTC, of the part of PyTorch's headers that kernels use. What belongs to the host is marked, so
// that a call from device code is seen.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_HOST __host__
#define C10_LAUNCH_BOUNDS_1(threads) __launch_bounds__(threads)
#define C10_LAUNCH_BOUNDS_2(threads, blocks) __launch_bounds__(threads, blocks)
#define C10_ALWAYS_INLINE inline
#define C10_RESTRICT __restrict__
#define C10_WARP_SIZE 32
#define CUDA_KERNEL_ASSERT(condition) assert(condition)
#define CUDA_KERNEL_LOOP(i, n)                                                                                         \
  for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += (int64_t)blockDim.x * gridDim.x)

namespace c10 {
#define KERNELGATE_SHORT_FLOAT(NAME, CUDA, TO, FROM)                                                                   \
  struct alignas(2) NAME {                                                                                             \
    unsigned short x;                                                                                                  \
    NAME() = default;                                                                                                  \
    __device__ NAME(float v) : x(__builtin_bit_cast(unsigned short, FROM(v))) {}                                       \
    __device__ NAME(CUDA v) : x(__builtin_bit_cast(unsigned short, v)) {}                                              \
    __device__ operator float() const { return TO(__builtin_bit_cast(CUDA, x)); }                                      \
    __device__ operator CUDA() const { return __builtin_bit_cast(CUDA, x); }                                           \
  };                                                                                                                   \
  inline __device__ NAME operator-(NAME a) { return -static_cast<float>(a); }                                          \
  KERNELGATE_OPERATOR(NAME, +) KERNELGATE_OPERATOR(NAME, -) KERNELGATE_OPERATOR(NAME, *) KERNELGATE_OPERATOR(NAME, /)
#define KERNELGATE_OPERATOR(NAME, SIGN)                                                                                \
  inline __device__ NAME operator SIGN(NAME a, NAME b) { return static_cast<float>(a) SIGN static_cast<float>(b); }    \
  inline __device__ float operator SIGN(NAME a, float b) { return static_cast<float>(a) SIGN b; }                      \
  inline __device__ float operator SIGN(float a, NAME b) { return a SIGN static_cast<float>(b); }                      \
  inline __device__ double operator SIGN(NAME a, double b) { return static_cast<float>(a) SIGN b; }                    \
  inline __device__ double operator SIGN(double a, NAME b) { return a SIGN static_cast<float>(b); }                    \
  inline __device__ NAME operator SIGN(NAME a, int b) { return a SIGN static_cast<NAME>(b); }                          \
  inline __device__ NAME operator SIGN(int a, NAME b) { return static_cast<NAME>(a) SIGN b; }                          \
  inline __device__ NAME &operator SIGN##=(NAME &a, NAME b) { return a = a SIGN b; }                                   \
  inline __device__ float &operator SIGN##=(float &a, NAME b) { return a = a SIGN static_cast<float>(b); }
KERNELGATE_SHORT_FLOAT(Half, __half, __half2float, __float2half)
KERNELGATE_SHORT_FLOAT(BFloat16, __nv_bfloat16, __bfloat162float, __float2bfloat16)
#undef KERNELGATE_SHORT_FLOAT
#undef KERNELGATE_OPERATOR
}  // namespace c10

namespace at {
using c10::BFloat16;
using c10::Half;

template <class T> struct OpMathType { using type = T; };
template <> struct OpMathType<Half> { using type = float; };
template <> struct OpMathType<BFloat16> { using type = float; };
template <class T> using opmath_type = typename OpMathType<T>::type;
template <class T, bool> using acc_type = opmath_type<T>;

template <class T> struct DefaultPtrTraits { using PtrType = T *; };
template <class T> struct RestrictPtrTraits { using PtrType = T *__restrict__; };

template <class T, size_t N, template <class> class Traits, class Index> struct TensorAccessorBase {
  using PtrType = typename Traits<T>::PtrType;
  PtrType data_;
  const Index *sizes_;
  const Index *strides_;
  __device__ Index size(Index i) const { return sizes_[i]; }
  __device__ Index stride(Index i) const { return strides_[i]; }
  __device__ PtrType data() const { return data_; }
};
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class Index = int64_t>
struct TensorAccessor : TensorAccessorBase<T, N, Traits, Index> {
  __device__ TensorAccessor<T, N - 1, Traits, Index> operator[](Index i) const {
    return {{this->data_ + this->strides_[0] * i, this->sizes_ + 1, this->strides_ + 1}};
  }
};
template <class T, template <class> class Traits, class Index>
struct TensorAccessor<T, 1, Traits, Index> : TensorAccessorBase<T, 1, Traits, Index> {
  __device__ T &operator[](Index i) const { return this->data_[this->strides_[0] * i]; }
};
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class Index = int64_t>
struct GenericPackedTensorAccessor {
  using PtrType = typename Traits<T>::PtrType;
  PtrType data_;
  Index sizes_[N];
  Index strides_[N];
  __device__ decltype(auto) operator[](Index i) const {
    return TensorAccessor<T, N, Traits, Index>{{data_, sizes_, strides_}}[i];
  }
  __device__ Index size(Index i) const { return sizes_[i]; }
  __device__ Index stride(Index i) const { return strides_[i]; }
  __device__ PtrType data() const { return data_; }
};
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, Traits, int32_t>;
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, Traits, int64_t>;

#define KERNELGATE_ON_HOST [[deprecated("kernelgate: host")]]
struct Tensor {
  void *kernelgate_implementation;
  Tensor() = default;
  Tensor(const Tensor &);
  template <class T> T *data_ptr KERNELGATE_ON_HOST() const;
  template <class T> const T *const_data_ptr KERNELGATE_ON_HOST() const;
  template <class T> T *mutable_data_ptr KERNELGATE_ON_HOST() const;
  template <class T> T item KERNELGATE_ON_HOST() const;
  int64_t size KERNELGATE_ON_HOST(int64_t) const;
  int64_t stride KERNELGATE_ON_HOST(int64_t) const;
  int64_t numel KERNELGATE_ON_HOST() const;
  int64_t dim KERNELGATE_ON_HOST() const;
  Tensor operator[] KERNELGATE_ON_HOST(int64_t) const;
};
#undef KERNELGATE_ON_HOST
}  // namespace at

namespace torch {
using namespace at;
}

namespace std {
template <> struct numeric_limits<c10::Half> {
  static __device__ c10::Half lowest() { return -65504.0f; }
  static __device__ c10::Half max() { return 65504.0f; }
  static __device__ c10::Half infinity() { return INFINITY; }
};
template <> struct numeric_limits<c10::BFloat16> {
  static __device__ c10::BFloat16 lowest() { return -3.38953139e38f; }
  static __device__ c10::BFloat16 max() { return 3.38953139e38f; }
  static __device__ c10::BFloat16 infinity() { return INFINITY; }
};
}  // namespace std
