#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

// Half types are computed in float and rounded once, as PyTorch does: the results are equal to the bit.
template <typename T>
struct Number;
template <>
struct Number<float> {
  using Wide = float;
  static __device__ __forceinline__ float widen(float a) { return a; }
  static __device__ __forceinline__ float narrow(float a) { return a; }
};
template <>
struct Number<double> {
  using Wide = double;
  static __device__ __forceinline__ double widen(double a) { return a; }
  static __device__ __forceinline__ double narrow(double a) { return a; }
};
template <>
struct Number<__half> {
  using Wide = float;
  static __device__ __forceinline__ float widen(__half a) { return __half2float(a); }
  static __device__ __forceinline__ __half narrow(float a) { return __float2half_rn(a); }
};
template <>
struct Number<__nv_bfloat16> {
  using Wide = float;
  static __device__ __forceinline__ float widen(__nv_bfloat16 a) { return __bfloat162float(a); }
  static __device__ __forceinline__ __nv_bfloat16 narrow(float a) { return __float2bfloat16_rn(a); }
};
template <typename T>
using Wide = typename Number<T>::Wide;

template <typename T>
__device__ __forceinline__ bool positive(T a) {
  return Number<T>::widen(a) > Wide<T>(0);
}
// A product as PyTorch stores it: rounded to T.
template <typename T>
__device__ __forceinline__ T times(T a, Wide<T> b) {
  return Number<T>::narrow(Number<T>::widen(a) * b);
}
