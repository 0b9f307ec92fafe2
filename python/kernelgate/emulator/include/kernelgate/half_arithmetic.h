// Arithmetic of __half and __nv_bfloat16, written once: widen to float, compute, round. One rounding of a float
// result gives the correctly rounded sum, difference, product and quotient of two 16-bit floats.
// Each type supplies kernelgate::widen(H) and kernelgate::narrow<H>(float).
#pragma once
#include <math.h>

#define KERNELGATE_HALF_BINARY(H, name, expression)                          \
  inline H name(H first, H second) {                                         \
    const float a = kernelgate::widen(first), b = kernelgate::widen(second); \
    return kernelgate::narrow<H>(expression);                                \
  }
#define KERNELGATE_HALF_UNARY(H, name, expression) \
  inline H name(H value) {                         \
    const float a = kernelgate::widen(value);      \
    return kernelgate::narrow<H>(expression);      \
  }
#define KERNELGATE_HALF_COMPARE(H, name, op) \
  inline bool name(H a, H b) { return kernelgate::widen(a) op kernelgate::widen(b); }

#define KERNELGATE_HALF_ARITHMETIC(H)                                                                                  \
  KERNELGATE_HALF_BINARY(H, __hadd, a + b)                                                                             \
  KERNELGATE_HALF_BINARY(H, __hsub, a - b)                                                                             \
  KERNELGATE_HALF_BINARY(H, __hmul, a* b)                                                                              \
  KERNELGATE_HALF_BINARY(H, __hdiv, a / b)                                                                             \
  KERNELGATE_HALF_BINARY(H, __hmax, fmaxf(a, b))                                                                       \
  KERNELGATE_HALF_BINARY(H, __hmin, fminf(a, b))                                                                       \
  KERNELGATE_HALF_UNARY(H, __hneg, -a)                                                                                 \
  KERNELGATE_HALF_UNARY(H, __habs, fabsf(a))                                                                           \
  KERNELGATE_HALF_UNARY(H, hexp, expf(a))                                                                              \
  KERNELGATE_HALF_UNARY(H, hexp2, exp2f(a))                                                                            \
  KERNELGATE_HALF_UNARY(H, hlog, logf(a))                                                                              \
  KERNELGATE_HALF_UNARY(H, hsqrt, sqrtf(a))                                                                            \
  KERNELGATE_HALF_UNARY(H, hrsqrt, 1.0f / sqrtf(a))                                                                    \
  KERNELGATE_HALF_UNARY(H, hrcp, 1.0f / a)                                                                             \
  KERNELGATE_HALF_UNARY(H, hsin, sinf(a))                                                                              \
  KERNELGATE_HALF_UNARY(H, hcos, cosf(a))                                                                              \
  KERNELGATE_HALF_UNARY(H, htanh, tanhf(a))                                                                            \
  KERNELGATE_HALF_UNARY(H, htanh_approx, tanhf(a))                                                                     \
  KERNELGATE_HALF_UNARY(H, hexp10, exp10f(a))                                                                          \
  KERNELGATE_HALF_UNARY(H, hlog2, log2f(a))                                                                            \
  KERNELGATE_HALF_UNARY(H, hlog10, log10f(a))                                                                          \
  KERNELGATE_HALF_UNARY(H, hfloor, floorf(a))                                                                          \
  KERNELGATE_HALF_UNARY(H, hceil, ceilf(a))                                                                            \
  KERNELGATE_HALF_UNARY(H, hrint, rintf(a))                                                                            \
  KERNELGATE_HALF_UNARY(H, htrunc, truncf(a))                                                                          \
  KERNELGATE_HALF_BINARY(H, __hadd_rn, a + b)                                                                          \
  KERNELGATE_HALF_BINARY(H, __hsub_rn, a - b)                                                                          \
  KERNELGATE_HALF_BINARY(H, __hmul_rn, a* b)                                                                           \
  KERNELGATE_HALF_BINARY(H, __hadd_sat, fmaxf(0.0f, fminf(a + b, 1.0f)))                                               \
  KERNELGATE_HALF_BINARY(H, __hsub_sat, fmaxf(0.0f, fminf(a - b, 1.0f)))                                               \
  KERNELGATE_HALF_BINARY(H, __hmul_sat, fmaxf(0.0f, fminf(a* b, 1.0f)))                                                \
  KERNELGATE_HALF_BINARY(H, __hmax_nan, a != a || b != b ? __builtin_nanf("") : fmaxf(a, b))                           \
  KERNELGATE_HALF_BINARY(H, __hmin_nan, a != a || b != b ? __builtin_nanf("") : fminf(a, b))                           \
  KERNELGATE_HALF_COMPARE(H, __heq, ==)                                                                                \
  KERNELGATE_HALF_COMPARE(H, __hne, !=)                                                                                \
  KERNELGATE_HALF_COMPARE(H, __hgt, >)                                                                                 \
  KERNELGATE_HALF_COMPARE(H, __hge, >=)                                                                                \
  KERNELGATE_HALF_COMPARE(H, __hlt, <)                                                                                 \
  KERNELGATE_HALF_COMPARE(H, __hle, <=)                                                                                \
  inline bool __hisnan(H a) { return kernelgate::widen(a) != kernelgate::widen(a); }                                   \
  inline bool __hisinf(H a) { return fabsf(kernelgate::widen(a)) == __builtin_inff(); }                                \
  /* The product is exact in double; the sum is rounded there, then again: not the device's single rounding always. */ \
  inline H __hfma(H a, H b, H c) {                                                                                     \
    return kernelgate::narrow<H>(                                                                                      \
        static_cast<float>(static_cast<double>(kernelgate::widen(a)) * kernelgate::widen(b) + kernelgate::widen(c)));  \
  }                                                                                                                    \
  inline H __hfma_relu(H a, H b, H c) {                                                                                \
    const H sum = __hfma(a, b, c);                                                                                     \
    return kernelgate::widen(sum) < 0.0f ? kernelgate::narrow<H>(0.0f) : sum;                                          \
  }                                                                                                                    \
  inline H __hfma_sat(H a, H b, H c) {                                                                                 \
    return kernelgate::narrow<H>(fmaxf(0.0f, fminf(kernelgate::widen(__hfma(a, b, c)), 1.0f)));                        \
  }

#define KERNELGATE_PAIR_BINARY(H2, name, single) \
  inline H2 name(H2 a, H2 b) { return H2(single(a.x, b.x), single(a.y, b.y)); }
#define KERNELGATE_PAIR_UNARY(H2, name, single) \
  inline H2 name(H2 a) { return H2(single(a.x), single(a.y)); }
// Per element as 1 or 0, as one answer for both, and as a mask of bits.
#define KERNELGATE_PAIR_COMPARE(H, H2, op)                                                         \
  inline H2 __h##op##2(H2 a, H2 b) {                                                               \
    return H2(kernelgate::narrow<H>(__h##op(a.x, b.x)), kernelgate::narrow<H>(__h##op(a.y, b.y))); \
  }                                                                                                \
  inline bool __hb##op##2(H2 a, H2 b) { return __h##op(a.x, b.x) && __h##op(a.y, b.y); }           \
  inline unsigned __h##op##2_mask(H2 a, H2 b) {                                                    \
    return (__h##op(a.x, b.x) ? 0xffffu : 0u) | (__h##op(a.y, b.y) ? 0xffff0000u : 0u);            \
  }
#define KERNELGATE_PAIR_ARITHMETIC(H, H2)                                                                         \
  KERNELGATE_PAIR_BINARY(H2, __hadd2, __hadd)                                                                     \
  KERNELGATE_PAIR_BINARY(H2, __hsub2, __hsub)                                                                     \
  KERNELGATE_PAIR_BINARY(H2, __hmul2, __hmul)                                                                     \
  KERNELGATE_PAIR_BINARY(H2, __h2div, __hdiv)                                                                     \
  KERNELGATE_PAIR_BINARY(H2, __hmax2, __hmax)                                                                     \
  KERNELGATE_PAIR_BINARY(H2, __hmin2, __hmin)                                                                     \
  KERNELGATE_PAIR_UNARY(H2, __hneg2, __hneg)                                                                      \
  KERNELGATE_PAIR_UNARY(H2, __habs2, __habs)                                                                      \
  KERNELGATE_PAIR_UNARY(H2, h2exp, hexp)                                                                          \
  KERNELGATE_PAIR_UNARY(H2, h2exp2, hexp2)                                                                        \
  KERNELGATE_PAIR_UNARY(H2, h2log, hlog)                                                                          \
  KERNELGATE_PAIR_UNARY(H2, h2log2, hlog2)                                                                        \
  KERNELGATE_PAIR_UNARY(H2, h2sqrt, hsqrt)                                                                        \
  KERNELGATE_PAIR_UNARY(H2, h2rsqrt, hrsqrt)                                                                      \
  KERNELGATE_PAIR_UNARY(H2, h2rcp, hrcp)                                                                          \
  KERNELGATE_PAIR_UNARY(H2, h2sin, hsin)                                                                          \
  KERNELGATE_PAIR_UNARY(H2, h2cos, hcos)                                                                          \
  KERNELGATE_PAIR_UNARY(H2, h2tanh, htanh)                                                                        \
  KERNELGATE_PAIR_UNARY(H2, h2tanh_approx, htanh)                                                                 \
  KERNELGATE_PAIR_UNARY(H2, h2floor, hfloor)                                                                      \
  KERNELGATE_PAIR_UNARY(H2, h2ceil, hceil)                                                                        \
  KERNELGATE_PAIR_BINARY(H2, __hadd2_rn, __hadd)                                                                  \
  KERNELGATE_PAIR_BINARY(H2, __hmul2_rn, __hmul)                                                                  \
  inline H2 __hfma2(H2 a, H2 b, H2 c) { return H2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }                \
  inline H2 __hfma2_relu(H2 a, H2 b, H2 c) { return H2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)); } \
  KERNELGATE_PAIR_COMPARE(H, H2, eq)                                                                              \
  KERNELGATE_PAIR_COMPARE(H, H2, ne)                                                                              \
  KERNELGATE_PAIR_COMPARE(H, H2, gt)                                                                              \
  KERNELGATE_PAIR_COMPARE(H, H2, ge)                                                                              \
  KERNELGATE_PAIR_COMPARE(H, H2, lt)                                                                              \
  KERNELGATE_PAIR_COMPARE(H, H2, le)

#define KERNELGATE_HALF_OPERATORS(H)                                     \
  inline H operator+(const H& a, const H& b) { return __hadd(a, b); }    \
  inline H operator-(const H& a, const H& b) { return __hsub(a, b); }    \
  inline H operator*(const H& a, const H& b) { return __hmul(a, b); }    \
  inline H operator/(const H& a, const H& b) { return __hdiv(a, b); }    \
  inline H& operator+=(H& a, const H& b) { return a = __hadd(a, b); }    \
  inline H& operator-=(H& a, const H& b) { return a = __hsub(a, b); }    \
  inline H& operator*=(H& a, const H& b) { return a = __hmul(a, b); }    \
  inline H& operator/=(H& a, const H& b) { return a = __hdiv(a, b); }    \
  inline H operator-(const H& a) { return __hneg(a); }                   \
  inline H operator+(const H& a) { return a; }                           \
  inline bool operator==(const H& a, const H& b) { return __heq(a, b); } \
  inline bool operator!=(const H& a, const H& b) { return __hne(a, b); } \
  inline bool operator>(const H& a, const H& b) { return __hgt(a, b); }  \
  inline bool operator<(const H& a, const H& b) { return __hlt(a, b); }  \
  inline bool operator>=(const H& a, const H& b) { return __hge(a, b); } \
  inline bool operator<=(const H& a, const H& b) { return __hle(a, b); }

#define KERNELGATE_PAIR_OPERATORS(H2)                                        \
  inline H2 operator+(const H2& a, const H2& b) { return __hadd2(a, b); }    \
  inline H2 operator-(const H2& a, const H2& b) { return __hsub2(a, b); }    \
  inline H2 operator*(const H2& a, const H2& b) { return __hmul2(a, b); }    \
  inline H2 operator/(const H2& a, const H2& b) { return __h2div(a, b); }    \
  inline H2& operator+=(H2& a, const H2& b) { return a = __hadd2(a, b); }    \
  inline H2& operator-=(H2& a, const H2& b) { return a = __hsub2(a, b); }    \
  inline H2& operator*=(H2& a, const H2& b) { return a = __hmul2(a, b); }    \
  inline H2& operator/=(H2& a, const H2& b) { return a = __h2div(a, b); }    \
  inline bool operator==(const H2& a, const H2& b) { return __hbeq2(a, b); } \
  inline bool operator>(const H2& a, const H2& b) { return __hbgt2(a, b); }  \
  inline bool operator<(const H2& a, const H2& b) { return __hblt2(a, b); }  \
  inline H2 operator-(const H2& a) { return __hneg2(a); }
