// __nv_bfloat16 and __nv_bfloat162. torch passes __CUDA_NO_BFLOAT16_CONVERSIONS__; the operators stay.
#pragma once
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <kernelgate/half_arithmetic.h>
#include <kernelgate/half_bits.h>

struct __nv_bfloat16_raw {
  unsigned short x;
};

struct __nv_bfloat16 {
 protected:
  unsigned short bits_;

 public:
  __nv_bfloat16() = default;
  constexpr __nv_bfloat16(const __nv_bfloat16_raw& raw) : bits_(raw.x) {}
  operator __nv_bfloat16_raw() const { return {bits_}; }
#ifndef __CUDA_NO_BFLOAT16_CONVERSIONS__
  __nv_bfloat16(float f) : bits_(kernelgate::bfloat16_from(f, 0x7fff)) {}
  __nv_bfloat16(double d) : bits_(kernelgate::bfloat16_from(static_cast<float>(d), 0x7fff)) {}
  __nv_bfloat16(int i) : bits_(kernelgate::bfloat16_from(static_cast<float>(i), 0x7fff)) {}
  operator float() const { return kernelgate::bfloat16_to_float(bits_); }
#endif
};
typedef __nv_bfloat16 nv_bfloat16;

inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return __nv_bfloat16_raw{bits}; }
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 b) { return static_cast<__nv_bfloat16_raw>(b).x; }
inline float __bfloat162float(__nv_bfloat16 b) { return kernelgate::bfloat16_to_float(__bfloat16_as_ushort(b)); }
inline __nv_bfloat16 __float2bfloat16(float f) { return __ushort_as_bfloat16(kernelgate::bfloat16_from(f, 0x7fff)); }
inline __nv_bfloat16 __float2bfloat16_rn(float f) { return __float2bfloat16(f); }
inline __nv_bfloat16 __float2bfloat16_rz(float f) {
  return f != f ? __float2bfloat16(f) : __ushort_as_bfloat16(static_cast<unsigned short>(kernelgate::to_bits(f) >> 16));
}
inline __nv_bfloat16 __double2bfloat16(double d) { return __float2bfloat16(static_cast<float>(d)); }
inline __nv_bfloat16 __int2bfloat16_rn(int i) { return __float2bfloat16(static_cast<float>(i)); }
inline __nv_bfloat16 __uint2bfloat16_rn(unsigned i) { return __float2bfloat16(static_cast<float>(i)); }
inline int __bfloat162int_rn(__nv_bfloat16 b) { return kernelgate::to_integer<int>(rintf(__bfloat162float(b))); }
inline int __bfloat162int_rz(__nv_bfloat16 b) { return kernelgate::to_integer<int>(__bfloat162float(b)); }
inline __nv_bfloat16 __short_as_bfloat16(short bits) { return __ushort_as_bfloat16(static_cast<unsigned short>(bits)); }
inline short __bfloat16_as_short(__nv_bfloat16 b) { return static_cast<short>(__bfloat16_as_ushort(b)); }

namespace kernelgate {
inline float widen(__nv_bfloat16 b) { return __bfloat162float(b); }
template <>
inline __nv_bfloat16 narrow<__nv_bfloat16>(float f) {
  return __float2bfloat16(f);
}
}  // namespace kernelgate

struct alignas(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __nv_bfloat162(const __nv_bfloat16& a, const __nv_bfloat16& b) : x(a), y(b) {}
};
typedef __nv_bfloat162 nv_bfloat162;

KERNELGATE_HALF_ARITHMETIC(__nv_bfloat16)
KERNELGATE_PAIR_ARITHMETIC(__nv_bfloat16, __nv_bfloat162)
#ifndef __CUDA_NO_BFLOAT16_OPERATORS__
KERNELGATE_HALF_OPERATORS(__nv_bfloat16)
#endif
#ifndef __CUDA_NO_BFLOAT162_OPERATORS__
KERNELGATE_PAIR_OPERATORS(__nv_bfloat162)
#endif

inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return {a, a}; }
inline __nv_bfloat162 __float2bfloat162_rn(float f) { return {__float2bfloat16(f), __float2bfloat16(f)}; }
inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return {__float2bfloat16(a), __float2bfloat16(b)}; }
inline __nv_bfloat162 __float22bfloat162_rn(float2 f) { return {__float2bfloat16(f.x), __float2bfloat16(f.y)}; }
inline float2 __bfloat1622float2(__nv_bfloat162 b) { return {__bfloat162float(b.x), __bfloat162float(b.y)}; }
inline float __low2float(__nv_bfloat162 b) { return __bfloat162float(b.x); }
inline float __high2float(__nv_bfloat162 b) { return __bfloat162float(b.y); }
inline __nv_bfloat162 __low2bfloat162(__nv_bfloat162 b) { return {b.x, b.x}; }
inline __nv_bfloat162 __high2bfloat162(__nv_bfloat162 b) { return {b.y, b.y}; }
inline __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 b) { return {b.y, b.x}; }
inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 b) { return b.x; }
inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 b) { return b.y; }

#ifdef __CUDACC__
KERNELGATE_SHUFFLES(__nv_bfloat16)
KERNELGATE_SHUFFLES(__nv_bfloat162)
KERNELGATE_ATOMIC(atomicAdd, __nv_bfloat16, __hadd(old, value))
KERNELGATE_ATOMIC(atomicAdd, __nv_bfloat162, __hadd2(old, value))
#endif
