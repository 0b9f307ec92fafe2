// 8-bit floats: e4m3 and e5m2, their pairs and fours, and the conversions of cuda_fp8.h.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <kernelgate/to_integer.h>
#include <math.h>

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

// To the nearest, ties to even. e4m3 has no infinity, and one NaN a sign.
inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
  const bool e4m3 = kind == __NV_E4M3;
  const int mantissa = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15, largest = e4m3 ? 0x7e : 0x7b;
  const int sign = signbit(x) ? 0x80 : 0;
  if (x != x) return e4m3 ? sign | 0x7f : 0x7f;
  const double size = fabs(x);
  int bits = largest + 1;
  if (size < 65536) {
    const int exponent = size < ldexp(1.0, 1 - bias) ? 1 - bias : ilogb(size);
    bits = ((exponent + bias - 1) << mantissa) + static_cast<int>(rint(ldexp(size, mantissa - exponent)));
  }
  if (bits > largest) bits = saturate == __NV_SATFINITE ? largest : e4m3 ? 0x7f : 0x7c;
  return static_cast<__nv_fp8_storage_t>(sign | bits);
}
inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t s, __nv_fp8_interpretation_t kind) {
  return __nv_cvt_double_to_fp8(x, s, kind);
}
inline __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t s, __nv_fp8_interpretation_t kind) {
  return __nv_cvt_double_to_fp8(kernelgate::half_to_float(x.x), s, kind);
}
inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t s,
                                                      __nv_fp8_interpretation_t kind) {
  return __nv_cvt_double_to_fp8(kernelgate::bfloat16_to_float(x.x), s, kind);
}
inline __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t s, __nv_fp8_interpretation_t kind) {
  return static_cast<__nv_fp8x2_storage_t>(__nv_cvt_float_to_fp8(x.x, s, kind) | __nv_cvt_float_to_fp8(x.y, s, kind)
                                                                                     << 8);
}
inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  if (kind == __NV_E5M2) return {static_cast<unsigned short>(x << 8)};
  const int bits = x & 0x7f;
  double size = bits < 8 ? ldexp(bits, -9) : ldexp(8 + (bits & 7), (bits >> 3) - 10);
  if (bits == 0x7f) return {0x7fff};
  return {kernelgate::half_from(x & 0x80 ? -size : size)};
}
namespace kernelgate {
inline __half2 halves_of_fp8x2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t kind) {
  return __halves2half2(__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x), kind),
                        __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x >> 8), kind));
}
}  // namespace kernelgate

#define KERNELGATE_FP8(Name, kind)                                                                                  \
  struct __nv_fp8_##Name {                                                                                          \
    __nv_fp8_storage_t __x;                                                                                         \
    __nv_fp8_##Name() = default;                                                                                    \
    explicit __nv_fp8_##Name(float f) : __x(__nv_cvt_float_to_fp8(f, __NV_SATFINITE, kind)) {}                      \
    explicit __nv_fp8_##Name(double f) : __x(__nv_cvt_double_to_fp8(f, __NV_SATFINITE, kind)) {}                    \
    explicit __nv_fp8_##Name(int f) : __x(__nv_cvt_double_to_fp8(f, __NV_SATFINITE, kind)) {}                       \
    explicit __nv_fp8_##Name(__half f) : __x(__nv_cvt_halfraw_to_fp8(f, __NV_SATFINITE, kind)) {}                   \
    explicit __nv_fp8_##Name(__nv_bfloat16 f)                                                                       \
        : __x(__nv_cvt_float_to_fp8(__bfloat162float(f), __NV_SATFINITE, kind)) {}                                  \
    explicit operator __half() const { return __nv_cvt_fp8_to_halfraw(__x, kind); }                                 \
    explicit operator float() const { return __half2float(__nv_cvt_fp8_to_halfraw(__x, kind)); }                    \
    explicit operator double() const { return float(*this); }                                                       \
    explicit operator __nv_bfloat16() const { return __float2bfloat16(float(*this)); }                              \
    explicit operator bool() const { return (__x & 0x7f) != 0; }                                                    \
  };                                                                                                                \
  struct __nv_fp8x2_##Name {                                                                                        \
    __nv_fp8x2_storage_t __x;                                                                                       \
    __nv_fp8x2_##Name() = default;                                                                                  \
    explicit __nv_fp8x2_##Name(float2 f) : __x(__nv_cvt_float2_to_fp8x2(f, __NV_SATFINITE, kind)) {}                \
    explicit operator __half2() const { return kernelgate::halves_of_fp8x2(__x, kind); }                            \
    explicit operator float2() const { return __half22float2(__half2(*this)); }                                     \
  };                                                                                                                \
  struct __nv_fp8x4_##Name {                                                                                        \
    __nv_fp8x4_storage_t __x;                                                                                       \
    __nv_fp8x4_##Name() = default;                                                                                  \
    explicit __nv_fp8x4_##Name(float4 f)                                                                            \
        : __x(__nv_cvt_float2_to_fp8x2({f.x, f.y}, __NV_SATFINITE, kind) |                                          \
              static_cast<unsigned>(__nv_cvt_float2_to_fp8x2({f.z, f.w}, __NV_SATFINITE, kind)) << 16) {}           \
    explicit operator float4() const {                                                                              \
      const float2 low = __half22float2(kernelgate::halves_of_fp8x2(static_cast<__nv_fp8x2_storage_t>(__x), kind)); \
      const float2 high =                                                                                           \
          __half22float2(kernelgate::halves_of_fp8x2(static_cast<__nv_fp8x2_storage_t>(__x >> 16), kind));          \
      return {low.x, low.y, high.x, high.y};                                                                        \
    }                                                                                                               \
  };
KERNELGATE_FP8(e4m3, __NV_E4M3)  // __nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3
KERNELGATE_FP8(e5m2, __NV_E5M2)  // __nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2
#undef KERNELGATE_FP8
