// 16-bit floats as bits. Half goes through the compiler's own type, which rounds to nearest, ties to even.
#pragma once
#include <stdint.h>
#include <string.h>

namespace kernelgate {

#if defined(__aarch64__)
using CompilersHalf = __fp16;  // g++ 12 has no other one there
#else
using CompilersHalf = _Float16;
#endif

template <typename Real>
inline uint16_t half_from(Real value) {
  CompilersHalf half = static_cast<CompilersHalf>(value);
  uint16_t bits;
  memcpy(&bits, &half, sizeof bits);
  return bits;
}
inline float half_to_float(uint16_t bits) {
  CompilersHalf half;
  memcpy(&half, &bits, sizeof bits);
  return static_cast<float>(half);
}

// CUDA and c10 write NaN with different bits, hence the parameter.
inline uint16_t bfloat16_from(float value, uint16_t nan_bits) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (value != value) return nan_bits;
  return static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
inline float bfloat16_to_float(uint16_t value) {
  uint32_t bits = static_cast<uint32_t>(value) << 16;
  float wide;
  memcpy(&wide, &bits, sizeof wide);
  return wide;
}

}  // namespace kernelgate
