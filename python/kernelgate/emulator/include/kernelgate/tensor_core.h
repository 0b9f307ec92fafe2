// The sum of products of a tensor core, as sm_80 makes it: products are exact; the terms of a step and the running
// sum are aligned to the largest, cut off below its last bit but one, added, and the result is cut to float.
// A model: its error for un-promoted tf32x3 products is the published one (tests/emulator/test_tensor_cores.py); how many
// bits below float's last are kept, and how many products a step has, is assumed.
// KERNELGATE_TENSOR_CORES=exact in the environment adds in double and rounds to nearest instead.
#pragma once
#include <kernelgate/bits.h>
#include <kernelgate/half_bits.h>
#include <math.h>
#include <stdlib.h>

namespace kernelgate {

struct Half16 {
  static constexpr int bits = 16, step = 8;
  static double value(uint32_t b) { return static_cast<double>(half_to_float(static_cast<uint16_t>(b))); }
};
struct Bfloat16Bits {
  static constexpr int bits = 16, step = 8;
  static double value(uint32_t b) { return static_cast<double>(bfloat16_to_float(static_cast<uint16_t>(b))); }
};
struct Tf32Bits {
  static constexpr int bits = 32, step = 4;
  // The hardware reads 19 bits of the register.
  static double value(uint32_t b) { return static_cast<double>(from_bits<float>(b & 0xffffe000u)); }
};
struct Signed8Bits {
  static constexpr int bits = 8, step = 16;
  static double value(uint32_t b) { return static_cast<int8_t>(b); }
};
struct Unsigned8Bits {
  static constexpr int bits = 8, step = 16;
  static double value(uint32_t b) { return static_cast<uint8_t>(b); }
};

inline bool tensor_cores_truncate() {
  static const bool exact = [] {
    const char* wanted = getenv("KERNELGATE_TENSOR_CORES");
    return wanted && !strcmp(wanted, "exact");
  }();
  return !exact;
}

// A double cut to float, towards zero.
inline float cut_to_float(double value) {
  const float nearest = static_cast<float>(value);
  if (!(fabs(static_cast<double>(nearest)) > fabs(value))) return nearest;
  return nextafterf(nearest, 0.0f);
}

inline float add_step(float sum, const double* products, int count) {
  int largest = sum == 0.0f ? -2000 : ilogbf(sum);
  bool finite = isfinite(sum);
  double exact = static_cast<double>(sum);
  for (int i = 0; i < count; i++) {
    finite = finite && isfinite(products[i]);
    exact += products[i];
    if (products[i] != 0) largest = largest > ilogb(products[i]) ? largest : ilogb(products[i]);
  }
  if (!finite || largest == -2000) return static_cast<float>(exact);
  constexpr int kept_bits = 24;  // after the leading one: float's 23 and one more
  const double unit = ldexp(1.0, largest - kept_bits);
  double total = trunc(static_cast<double>(sum) / unit);
  for (int i = 0; i < count; i++) total += trunc(products[i] / unit);
  return cut_to_float(total * unit);
}

template <typename Element>
inline float sum_products(float start, const double* a, const double* b, int depth) {
  double products[32];
  if (!tensor_cores_truncate()) {
    double sum = start;
    for (int k = 0; k < depth; k++) sum += a[k] * b[k];
    return static_cast<float>(sum);
  }
  float sum = start;
  for (int first = 0; first < depth; first += Element::step) {
    const int count = depth - first < Element::step ? depth - first : Element::step;
    for (int k = 0; k < count; k++) products[k] = a[first + k] * b[first + k];
    sum = add_step(sum, products, count);
  }
  return sum;
}

}  // namespace kernelgate
