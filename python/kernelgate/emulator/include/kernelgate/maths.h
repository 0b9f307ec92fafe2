// CUDA's maths beyond <math.h>. The fast forms call the exact ones: their error is a GPU's own and is not modelled.
#pragma once
#include <float.h>
#include <kernelgate/to_integer.h>
#include <limits.h>
#include <stdlib.h>
#ifdef _GLIBCXX_CMATH  // after PyTorch's headers it is too late for another name
#include <math.h>
#else
#define lerp kernelgate_lerp  // libstdc++'s <math.h> gives C++20's to everybody, and programs have their own
#include <cmath>
#include <math.h>
#undef lerp

namespace std {
constexpr float lerp(float a, float b, float t) noexcept { return kernelgate_lerp(a, b, t); }
constexpr double lerp(double a, double b, double t) noexcept { return kernelgate_lerp(a, b, t); }
}  // namespace std
#endif

// CUDA's own overloads, no template: max(int, float) is as ambiguous here as under nvcc.
#define KERNELGATE_MIN_MAX(result, a_type, b_type)                                                            \
  constexpr result max(a_type a, b_type b) {                                                                  \
    return static_cast<result>(a) > static_cast<result>(b) ? static_cast<result>(a) : static_cast<result>(b); \
  }                                                                                                           \
  constexpr result min(a_type a, b_type b) {                                                                  \
    return static_cast<result>(a) < static_cast<result>(b) ? static_cast<result>(a) : static_cast<result>(b); \
  }
KERNELGATE_MIN_MAX(int, int, int)
KERNELGATE_MIN_MAX(unsigned, unsigned, unsigned)
KERNELGATE_MIN_MAX(unsigned, int, unsigned)
KERNELGATE_MIN_MAX(unsigned, unsigned, int)
KERNELGATE_MIN_MAX(long, long, long)
KERNELGATE_MIN_MAX(unsigned long, unsigned long, unsigned long)
KERNELGATE_MIN_MAX(unsigned long, long, unsigned long)
KERNELGATE_MIN_MAX(unsigned long, unsigned long, long)
KERNELGATE_MIN_MAX(long long, long long, long long)
KERNELGATE_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
KERNELGATE_MIN_MAX(unsigned long long, long long, unsigned long long)
KERNELGATE_MIN_MAX(unsigned long long, unsigned long long, long long)
#undef KERNELGATE_MIN_MAX
// Of one NaN and one number these give the number, as on the device.
inline float max(float a, float b) { return fmaxf(a, b); }
inline float min(float a, float b) { return fminf(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(float a, double b) { return fmax(static_cast<double>(a), b); }
inline double max(double a, float b) { return fmax(a, static_cast<double>(b)); }
inline double min(float a, double b) { return fmin(static_cast<double>(a), b); }
inline double min(double a, float b) { return fmin(a, static_cast<double>(b)); }
inline unsigned umax(unsigned a, unsigned b) { return max(a, b); }
inline unsigned umin(unsigned a, unsigned b) { return min(a, b); }
inline long long llmax(long long a, long long b) { return max(a, b); }
inline long long llmin(long long a, long long b) { return min(a, b); }
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }

inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline float rcbrtf(float x) { return 1.0f / cbrtf(x); }
inline float normcdff(float x) { return 0.5f * erfcf(-x * 0.70710678118654752f); }
inline double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
inline float sinpif(float x) { return sinf(x * 3.14159265358979f); }
inline float cospif(float x) { return cosf(x * 3.14159265358979f); }
inline double sinpi(double x) { return sin(x * 3.14159265358979323846); }
inline double cospi(double x) { return cos(x * 3.14159265358979323846); }
inline void sincospif(float x, float* s, float* c) { *s = sinpif(x), *c = cospif(x); }
inline float erfcxf(float x) {
  return static_cast<float>(exp(static_cast<double>(x) * x) * erfc(static_cast<double>(x)));
}
inline float rhypotf(float a, float b) { return 1.0f / hypotf(a, b); }
inline float fdividef(float a, float b) { return a / b; }
inline float norm4df(float a, float b, float c, float d) { return sqrtf(a * a + b * b + c * c + d * d); }
inline float rnorm3df(float a, float b, float c) { return 1.0f / sqrtf(a * a + b * b + c * c); }
namespace kernelgate {
// Newton's steps from a rough start; erf is exact enough to end within float's last bits.
inline double inverse_erf(double y) {
  if (!(fabs(y) < 1.0)) return fabs(y) == 1.0 ? copysign(__builtin_inf(), y) : __builtin_nan("");
  const double l = log(1.0 - y * y), t = 2.0 / (3.14159265358979 * 0.147) + l / 2.0;
  double x = copysign(sqrt(sqrt(t * t - l / 0.147) - t), y);
  for (int i = 0; i < 4; i++) x -= (erf(x) - y) / (1.1283791670955126 * exp(-x * x));
  return x;
}
}  // namespace kernelgate
inline double erfinv(double y) { return kernelgate::inverse_erf(y); }
inline float erfinvf(float y) { return static_cast<float>(kernelgate::inverse_erf(static_cast<double>(y))); }
inline float normcdfinvf(float p) {
  return static_cast<float>(1.4142135623730951 * kernelgate::inverse_erf(2.0 * static_cast<double>(p) - 1.0));
}
inline float norm3df(float a, float b, float c) { return sqrtf(a * a + b * b + c * c); }

// Macros, because glibc declares functions of these very names.
#define __expf(x) (::expf(x))
#define __exp10f(x) (::exp10f(x))
#define __logf(x) (::logf(x))
#define __log2f(x) (::log2f(x))
#define __log10f(x) (::log10f(x))
#define __powf(x, y) (::powf((x), (y)))
#define __sinf(x) (::sinf(x))
#define __cosf(x) (::cosf(x))
#define __tanf(x) (::tanf(x))
#define __tanhf(x) (::tanhf(x))
#define __sincosf(x, s, c) (::sincosf((x), (s), (c)))

inline float __fdividef(float a, float b) { return a / b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __frcp_rn(float a) { return 1.0f / a; }
inline float __fsqrt_rn(float a) { return sqrtf(a); }
inline float __frsqrt_rn(float a) { return static_cast<float>(1.0 / sqrt(static_cast<double>(a))); }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
// Directed rounding: the double result is exact or nearly so, then cut.
#define KERNELGATE_ROUNDED(name, arguments, expression)                                      \
  inline float name##_rz arguments { return kernelgate::rounded_towards(expression, 0.0f); } \
  inline float name##_rd arguments { return kernelgate::rounded_down(expression); }          \
  inline float name##_ru arguments { return -kernelgate::rounded_down(-(expression)); }
namespace kernelgate {
inline float rounded_down(double exact) {
  const float nearest = static_cast<float>(exact);
  return static_cast<double>(nearest) > exact ? nextafterf(nearest, -__builtin_inff()) : nearest;
}
inline float rounded_towards(double exact, float goal) {
  const float nearest = static_cast<float>(exact);
  return fabs(static_cast<double>(nearest)) > fabs(exact) ? nextafterf(nearest, goal) : nearest;
}
}  // namespace kernelgate
KERNELGATE_ROUNDED(__fadd, (float a, float b), static_cast<double>(a) + b)
KERNELGATE_ROUNDED(__fsub, (float a, float b), static_cast<double>(a) - b)
KERNELGATE_ROUNDED(__fmul, (float a, float b), static_cast<double>(a) * b)
KERNELGATE_ROUNDED(__fdiv, (float a, float b), static_cast<double>(a) / b)
KERNELGATE_ROUNDED(__fmaf, (float a, float b, float c), fma(static_cast<double>(a), b, c))
KERNELGATE_ROUNDED(__int2float, (int v), static_cast<double>(v))
KERNELGATE_ROUNDED(__uint2float, (unsigned v), static_cast<double>(v))
KERNELGATE_ROUNDED(__double2float, (double v), v)
#undef KERNELGATE_ROUNDED
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __dsqrt_rn(double a) { return sqrt(a); }
inline double __drcp_rn(double a) { return 1.0 / a; }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
inline float __saturatef(float a) { return !(a > 0.0f) ? 0.0f : a > 1.0f ? 1.0f : a; }

inline int __float2int_rn(float v) { return kernelgate::to_integer<int>(rintf(v)); }
inline int __float2int_rz(float v) { return kernelgate::to_integer<int>(truncf(v)); }
inline int __float2int_rd(float v) { return kernelgate::to_integer<int>(floorf(v)); }
inline int __float2int_ru(float v) { return kernelgate::to_integer<int>(ceilf(v)); }
inline unsigned __float2uint_rn(float v) { return kernelgate::to_integer<unsigned>(rintf(v)); }
inline unsigned __float2uint_rd(float v) { return kernelgate::to_integer<unsigned>(floorf(v)); }
inline unsigned __float2uint_ru(float v) { return kernelgate::to_integer<unsigned>(ceilf(v)); }
inline unsigned long long __float2ull_rn(float v) { return kernelgate::to_integer<unsigned long long>(rintf(v)); }
inline unsigned long long __float2ull_rz(float v) { return kernelgate::to_integer<unsigned long long>(truncf(v)); }
inline long long __float2ll_rz(float v) { return kernelgate::to_integer<long long>(truncf(v)); }
inline int __double2int_rn(double v) { return kernelgate::to_integer<int>(rint(v)); }
inline int __double2int_rz(double v) { return kernelgate::to_integer<int>(trunc(v)); }
inline int __double2int_rd(double v) { return kernelgate::to_integer<int>(floor(v)); }
inline int __double2int_ru(double v) { return kernelgate::to_integer<int>(ceil(v)); }
inline long long __double2ll_rn(double v) { return kernelgate::to_integer<long long>(rint(v)); }
inline unsigned __double2uint_rn(double v) { return kernelgate::to_integer<unsigned>(rint(v)); }
inline unsigned __double2uint_rz(double v) { return kernelgate::to_integer<unsigned>(trunc(v)); }
inline unsigned long long __double2ull_rn(double v) { return kernelgate::to_integer<unsigned long long>(rint(v)); }
inline unsigned long long __double2ull_rz(double v) { return kernelgate::to_integer<unsigned long long>(trunc(v)); }
inline long long __float2ll_rd(float v) { return kernelgate::to_integer<long long>(floorf(v)); }
inline long long __float2ll_ru(float v) { return kernelgate::to_integer<long long>(ceilf(v)); }
inline double __ull2double_rn(unsigned long long v) { return static_cast<double>(v); }
inline long long __double2ll_rz(double v) { return kernelgate::to_integer<long long>(trunc(v)); }
inline unsigned __float2uint_rz(float v) { return kernelgate::to_integer<unsigned>(truncf(v)); }
inline long long __float2ll_rn(float v) { return kernelgate::to_integer<long long>(rintf(v)); }
inline float __int2float_rn(int v) { return static_cast<float>(v); }
inline float __uint2float_rn(unsigned v) { return static_cast<float>(v); }
inline float __ll2float_rn(long long v) { return static_cast<float>(v); }
inline float __double2float_rn(double v) { return static_cast<float>(v); }
inline float __ull2float_rn(unsigned long long v) { return static_cast<float>(v); }
inline double __int2double_rn(int v) { return v; }
inline double __uint2double_rn(unsigned v) { return v; }
inline double __ll2double_rn(long long v) { return static_cast<double>(v); }
