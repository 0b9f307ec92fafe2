// __half and __half2. torch compiles .cu files with __CUDA_NO_HALF_CONVERSIONS__ and __CUDA_NO_HALF_OPERATORS__,
// so that `h * h` and `float f = h` are errors there; they are errors here too, unless a -U flag says otherwise.
#pragma once
#include <cuda_runtime.h>
#include <kernelgate/half_bits.h>
#include <kernelgate/to_integer.h>
#include <math.h>

struct __half_raw {
  unsigned short x;
};

struct __half {
 protected:
  unsigned short bits_;

 public:
  __half() = default;
  constexpr __half(const __half_raw& raw) : bits_(raw.x) {}
  operator __half_raw() const { return {bits_}; }
#ifndef __CUDA_NO_HALF_CONVERSIONS__
  __half(float f) : bits_(kernelgate::half_from(f)) {}
  __half(double d) : bits_(kernelgate::half_from(d)) {}
  __half(int i) : bits_(kernelgate::half_from(static_cast<double>(i))) {}
  __half(unsigned i) : bits_(kernelgate::half_from(static_cast<double>(i))) {}
  __half(long long i) : bits_(kernelgate::half_from(static_cast<double>(i))) {}
  operator float() const { return kernelgate::half_to_float(bits_); }
#endif
};
typedef __half half;
typedef __half nv_half;

inline __half __ushort_as_half(unsigned short bits) { return __half_raw{bits}; }
inline unsigned short __half_as_ushort(__half h) { return static_cast<__half_raw>(h).x; }
inline __half __short_as_half(short bits) { return __half_raw{static_cast<unsigned short>(bits)}; }
inline short __half_as_short(__half h) { return static_cast<short>(__half_as_ushort(h)); }
inline float __half2float(__half h) { return kernelgate::half_to_float(__half_as_ushort(h)); }
inline __half __float2half(float f) { return __ushort_as_half(kernelgate::half_from(f)); }
inline __half __float2half_rn(float f) { return __float2half(f); }
inline __half __double2half(double d) { return __ushort_as_half(kernelgate::half_from(d)); }
inline __half __int2half_rn(int i) { return __double2half(i); }
inline __half __uint2half_rn(unsigned i) { return __double2half(i); }
inline __half __short2half_rn(short i) { return __double2half(i); }
inline __half __ushort2half_rn(unsigned short i) { return __double2half(i); }
inline __half __ll2half_rn(long long i) { return __double2half(static_cast<double>(i)); }
inline unsigned __half2uint_rn(__half h) { return kernelgate::to_integer<unsigned>(rintf(__half2float(h))); }
inline unsigned __half2uint_rz(__half h) { return kernelgate::to_integer<unsigned>(__half2float(h)); }
inline short __half2short_rn(__half h) { return kernelgate::to_integer<short>(rintf(__half2float(h))); }
inline short __half2short_rz(__half h) { return kernelgate::to_integer<short>(__half2float(h)); }
inline long long __half2ll_rn(__half h) { return kernelgate::to_integer<long long>(rintf(__half2float(h))); }
// Rounded towards zero: the nearest half, or its neighbour where that lies further out.
inline __half __float2half_rz(float f) {
  const __half nearest = __float2half(f);
  if (!(fabsf(__half2float(nearest)) > fabsf(f)) || f != f || fabsf(f) == __builtin_inff()) return nearest;
  return __ushort_as_half(static_cast<unsigned short>(__half_as_ushort(nearest) - 1));
}
inline int __half2int_rz(__half h) { return static_cast<int>(__half2float(h)); }
inline int __half2int_rn(__half h) { return static_cast<int>(rintf(__half2float(h))); }

namespace kernelgate {
inline float widen(__half h) { return __half2float(h); }
template <typename H>
H narrow(float f);
template <>
inline __half narrow<__half>(float f) {
  return __float2half(f);
}
}  // namespace kernelgate

struct alignas(4) __half2 {
  __half x, y;
  __half2() = default;
  __half2(const __half& a, const __half& b) : x(a), y(b) {}
};
typedef __half2 half2;

#include <kernelgate/half_arithmetic.h>
KERNELGATE_HALF_ARITHMETIC(__half)
KERNELGATE_PAIR_ARITHMETIC(__half, __half2)
#ifndef __CUDA_NO_HALF_OPERATORS__
KERNELGATE_HALF_OPERATORS(__half)
#endif
#ifndef __CUDA_NO_HALF2_OPERATORS__
KERNELGATE_PAIR_OPERATORS(__half2)
#endif

inline __half2 make_half2(__half a, __half b) { return {a, b}; }
inline __half2 __halves2half2(__half a, __half b) { return {a, b}; }
inline __half2 __half2half2(__half a) { return {a, a}; }
inline __half2 __float2half2_rn(float f) { return {__float2half(f), __float2half(f)}; }
inline __half2 __floats2half2_rn(float a, float b) { return {__float2half(a), __float2half(b)}; }
inline __half2 __float22half2_rn(float2 f) { return {__float2half(f.x), __float2half(f.y)}; }
inline float2 __half22float2(__half2 h) { return {__half2float(h.x), __half2float(h.y)}; }
inline float __low2float(__half2 h) { return __half2float(h.x); }
inline float __high2float(__half2 h) { return __half2float(h.y); }
inline __half __low2half(__half2 h) { return h.x; }
inline __half __high2half(__half2 h) { return h.y; }
inline __half2 __low2half2(__half2 h) { return {h.x, h.x}; }
inline __half2 __high2half2(__half2 h) { return {h.y, h.y}; }
inline __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
inline __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }
inline __half2 __lowhigh2highlow(__half2 h) { return {h.y, h.x}; }

#ifdef __CUDACC__
KERNELGATE_SHUFFLES(__half)
KERNELGATE_SHUFFLES(__half2)
KERNELGATE_ATOMIC(atomicAdd, __half, __hadd(old, value))
KERNELGATE_ATOMIC(atomicAdd, __half2, __hadd2(old, value))
#endif
