// One number of a Python call: an integer, a floating point value or a bool.
#pragma once
#include <c10/core/ScalarType.h>

namespace c10 {
class Scalar {
 public:
  Scalar() : Scalar(int64_t(0)) {}
  Scalar(double v) : real_(v), whole_(static_cast<int64_t>(v)), type_(ScalarType::Double) {}
  Scalar(float v) : Scalar(static_cast<double>(v)) {}
  Scalar(Half v) : Scalar(static_cast<float>(v)) {}
  Scalar(BFloat16 v) : Scalar(static_cast<float>(v)) {}
  Scalar(bool v) : real_(v), whole_(v), type_(ScalarType::Bool) {}
  template <typename T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int> = 0>
  Scalar(T v) : real_(static_cast<double>(v)), whole_(static_cast<int64_t>(v)), type_(ScalarType::Long) {}

  template <typename T>
  T to() const {
    if constexpr (std::is_integral_v<T>) return static_cast<T>(whole_);
    else return static_cast<T>(real_);
  }
  double toDouble() const { return real_; }
  float toFloat() const { return static_cast<float>(real_); }
  int64_t toLong() const { return whole_; }
  int toInt() const { return static_cast<int>(whole_); }
  bool toBool() const { return whole_ != 0 || real_ != 0; }
  ScalarType type() const { return type_; }
  bool isFloatingPoint() const { return type_ == ScalarType::Double; }
  bool isIntegral(bool include_bool) const {
    return type_ == ScalarType::Long || (include_bool && type_ == ScalarType::Bool);
  }
  bool isBoolean() const { return type_ == ScalarType::Bool; }

 private:
  double real_;
  int64_t whole_;
  ScalarType type_;
};
inline void describe(std::string& out, const Scalar& value) {
  if (value.isFloatingPoint()) kernelgate::append_real(out, value.toDouble());
  else if (value.isBoolean()) out += value.toBool() ? "true" : "false";
  else kernelgate::append_integer(out, value.toLong());
}
}  // namespace c10
