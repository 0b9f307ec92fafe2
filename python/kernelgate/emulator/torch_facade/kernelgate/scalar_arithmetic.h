// Arithmetic of c10::Half and c10::BFloat16: with itself and with integers it stays 16 bits wide, with float and
// double it becomes those; comparisons go through the conversion to float. These are c10's own rules.
#pragma once
#include <stdint.h>

// clang-format off: it takes "op##=" apart
#define KERNELGATE_SCALAR_OPERATOR(H, op)                                                      \
  inline H operator op(H a, H b) { return static_cast<float>(a) op static_cast<float>(b); }    \
  inline float operator op(H a, float b) { return static_cast<float>(a) op b; }                \
  inline float operator op(float a, H b) { return a op static_cast<float>(b); }                \
  inline double operator op(H a, double b) { return static_cast<double>(a) op b; }             \
  inline double operator op(double a, H b) { return a op static_cast<double>(b); }             \
  inline H operator op(H a, int b) { return a op static_cast<H>(b); }                          \
  inline H operator op(int a, H b) { return static_cast<H>(a) op b; }                          \
  inline H operator op(H a, int64_t b) { return a op static_cast<H>(b); }                      \
  inline H operator op(int64_t a, H b) { return static_cast<H>(a) op b; }                      \
  inline H& operator op##=(H& a, H b) { return a = a op b; }                                   \
  inline float& operator op##=(float& a, H b) { return a op##= static_cast<float>(b); }
// clang-format on

#define KERNELGATE_SCALAR_OPERATORS(H) \
  KERNELGATE_SCALAR_OPERATOR(H, +)     \
  KERNELGATE_SCALAR_OPERATOR(H, -)     \
  KERNELGATE_SCALAR_OPERATOR(H, *)     \
  KERNELGATE_SCALAR_OPERATOR(H, /)     \
  inline H operator-(H a) { return -static_cast<float>(a); }
