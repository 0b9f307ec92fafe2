// c10::Half. In a .cu file it brings cuda_fp16.h with it, as torch's header does.
#pragma once
#include <c10/macros/Macros.h>
#include <kernelgate/half_bits.h>
#include <kernelgate/scalar_arithmetic.h>
#include <limits>
#ifdef __CUDACC__
#include <cuda_fp16.h>
#endif

namespace c10 {

struct alignas(2) Half {
  unsigned short x;
  struct from_bits_t {};
  static constexpr from_bits_t from_bits() { return {}; }

  Half() = default;
  constexpr Half(unsigned short bits, from_bits_t) : x(bits) {}
  Half(float value) : x(kernelgate::half_from(value)) {}
  operator float() const { return kernelgate::half_to_float(x); }
#ifdef __CUDACC__
  Half(const __half& value) : x(__half_as_ushort(value)) {}
  operator __half() const { return __ushort_as_half(x); }
#endif
};
KERNELGATE_SCALAR_OPERATORS(Half)

}  // namespace c10

template <>
class std::numeric_limits<c10::Half> {
 public:
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false;
  static constexpr bool has_infinity = true, has_quiet_NaN = true;
  static constexpr int digits = 11, radix = 2, max_exponent = 16, min_exponent = -13;
  static constexpr c10::Half from(unsigned short bits) { return c10::Half(bits, c10::Half::from_bits()); }
  static constexpr c10::Half min() { return from(0x0400); }
  static constexpr c10::Half lowest() { return from(0xFBFF); }
  static constexpr c10::Half max() { return from(0x7BFF); }
  static constexpr c10::Half epsilon() { return from(0x1400); }
  static constexpr c10::Half infinity() { return from(0x7C00); }
  static constexpr c10::Half quiet_NaN() { return from(0x7E00); }
  static constexpr c10::Half denorm_min() { return from(0x0001); }
};
