// c10::BFloat16. In a .cu file it brings cuda_bf16.h with it, as torch's header does.
#pragma once
#include <c10/macros/Macros.h>
#include <kernelgate/half_bits.h>
#include <kernelgate/scalar_arithmetic.h>
#include <limits>
#ifdef __CUDACC__
#include <cuda_bf16.h>
#endif

namespace c10 {

struct alignas(2) BFloat16 {
  uint16_t x;
  struct from_bits_t {};
  static constexpr from_bits_t from_bits() { return {}; }

  BFloat16() = default;
  constexpr BFloat16(unsigned short bits, from_bits_t) : x(bits) {}
  BFloat16(float value) : x(kernelgate::bfloat16_from(value, 0x7fc0)) {}
  operator float() const { return kernelgate::bfloat16_to_float(x); }
#ifdef __CUDACC__
  BFloat16(const __nv_bfloat16& value) : x(__bfloat16_as_ushort(value)) {}
  explicit operator __nv_bfloat16() const { return __ushort_as_bfloat16(x); }
#endif
};
KERNELGATE_SCALAR_OPERATORS(BFloat16)

}  // namespace c10

template <>
class std::numeric_limits<c10::BFloat16> {
 public:
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false;
  static constexpr bool has_infinity = true, has_quiet_NaN = true;
  static constexpr int digits = 8, radix = 2, max_exponent = 128, min_exponent = -125;
  static constexpr c10::BFloat16 from(unsigned short bits) { return c10::BFloat16(bits, c10::BFloat16::from_bits()); }
  static constexpr c10::BFloat16 min() { return from(0x0080); }
  static constexpr c10::BFloat16 lowest() { return from(0xFF7F); }
  static constexpr c10::BFloat16 max() { return from(0x7F7F); }
  static constexpr c10::BFloat16 epsilon() { return from(0x3C00); }
  static constexpr c10::BFloat16 infinity() { return from(0x7F80); }
  static constexpr c10::BFloat16 quiet_NaN() { return from(0x7FC0); }
  static constexpr c10::BFloat16 denorm_min() { return from(0x0001); }
};
