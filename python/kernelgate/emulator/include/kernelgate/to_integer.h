// Numbers to integers, as the device converts them; also where host code alone is compiled.
#pragma once

namespace kernelgate {
// A device conversion saturates and takes NaN to 0; in C++ the same cast is undefined.
template <typename Int, typename Real>
inline Int to_integer(Real v) {
  constexpr Int lowest = static_cast<Int>(Int(-1) < Int(0) ? Int(1) << (8 * sizeof(Int) - 1) : Int(0));
  constexpr Int highest = static_cast<Int>(~lowest);
  if (v != v) return 0;
  if (v <= static_cast<Real>(lowest)) return lowest;
  return v >= static_cast<Real>(highest) ? highest : static_cast<Int>(v);
}
}  // namespace kernelgate
