// Element types, with torch's own numbers, and the C++ type of each that a kernel can be dispatched on.
#pragma once
#include <c10/util/BFloat16.h>
#include <c10/util/Exception.h>
#include <c10/util/Half.h>
#include <stdint.h>

namespace c10 {

enum class ScalarType : int8_t {
  Byte = 0,
  Char = 1,
  Short = 2,
  Int = 3,
  Long = 4,
  Half = 5,
  Float = 6,
  Double = 7,
  ComplexHalf = 8,
  ComplexFloat = 9,
  ComplexDouble = 10,
  Bool = 11,
  QInt8 = 12,
  QUInt8 = 13,
  QInt32 = 14,
  BFloat16 = 15,
  Undefined = 46,
};

constexpr ScalarType kByte = ScalarType::Byte;
constexpr ScalarType kChar = ScalarType::Char;
constexpr ScalarType kShort = ScalarType::Short;
constexpr ScalarType kInt = ScalarType::Int;
constexpr ScalarType kLong = ScalarType::Long;
constexpr ScalarType kHalf = ScalarType::Half;
constexpr ScalarType kFloat = ScalarType::Float;
constexpr ScalarType kDouble = ScalarType::Double;
constexpr ScalarType kBool = ScalarType::Bool;
constexpr ScalarType kBFloat16 = ScalarType::BFloat16;

inline const char* toString(ScalarType type) {
  switch (type) {
    case ScalarType::Byte: return "Byte";
    case ScalarType::Char: return "Char";
    case ScalarType::Short: return "Short";
    case ScalarType::Int: return "Int";
    case ScalarType::Long: return "Long";
    case ScalarType::Half: return "Half";
    case ScalarType::Float: return "Float";
    case ScalarType::Double: return "Double";
    case ScalarType::ComplexHalf: return "ComplexHalf";
    case ScalarType::ComplexFloat: return "ComplexFloat";
    case ScalarType::ComplexDouble: return "ComplexDouble";
    case ScalarType::Bool: return "Bool";
    case ScalarType::BFloat16: return "BFloat16";
    default: return "UNKNOWN_SCALAR";
  }
}
inline void describe(std::string& out, ScalarType type) { out += toString(type); }

inline size_t elementSize(ScalarType type) {
  switch (type) {
    case ScalarType::Byte:
    case ScalarType::Char:
    case ScalarType::Bool: return 1;
    case ScalarType::Short:
    case ScalarType::Half:
    case ScalarType::BFloat16: return 2;
    case ScalarType::Int:
    case ScalarType::Float: return 4;
    default: return 8;
  }
}
inline bool isFloatingType(ScalarType t) {
  return t == ScalarType::Half || t == ScalarType::BFloat16 || t == ScalarType::Float || t == ScalarType::Double;
}
inline bool isReducedFloatingType(ScalarType t) { return t == ScalarType::Half || t == ScalarType::BFloat16; }
inline bool isIntegralType(ScalarType t, bool include_bool) {
  return (t >= ScalarType::Byte && t <= ScalarType::Long) || (include_bool && t == ScalarType::Bool);
}

template <typename T>
struct CppTypeToScalarType;
namespace impl {
template <ScalarType>
struct ScalarTypeToCPPType;
template <ScalarType S>
using ScalarTypeToCPPTypeT = typename ScalarTypeToCPPType<S>::type;
}  // namespace impl

#define KERNELGATE_ELEMENT_TYPE(T, name)                  \
  template <>                                             \
  struct CppTypeToScalarType<T> {                         \
    static constexpr ScalarType value = ScalarType::name; \
  };                                                      \
  namespace impl {                                        \
  template <>                                             \
  struct ScalarTypeToCPPType<ScalarType::name> {          \
    using type = T;                                       \
  };                                                      \
  }
KERNELGATE_ELEMENT_TYPE(uint8_t, Byte)
KERNELGATE_ELEMENT_TYPE(int8_t, Char)
KERNELGATE_ELEMENT_TYPE(int16_t, Short)
KERNELGATE_ELEMENT_TYPE(int, Int)
KERNELGATE_ELEMENT_TYPE(int64_t, Long)
KERNELGATE_ELEMENT_TYPE(Half, Half)
KERNELGATE_ELEMENT_TYPE(float, Float)
KERNELGATE_ELEMENT_TYPE(double, Double)
KERNELGATE_ELEMENT_TYPE(bool, Bool)
KERNELGATE_ELEMENT_TYPE(BFloat16, BFloat16)
#undef KERNELGATE_ELEMENT_TYPE

}  // namespace c10

// What Tensor::dtype() returns: compares with, and converts to, the element type.
namespace caffe2 {
class TypeMeta {
 public:
  TypeMeta() = default;
  explicit TypeMeta(c10::ScalarType type) : type_(type) {}
  c10::ScalarType toScalarType() const { return type_; }
  size_t itemsize() const { return c10::elementSize(type_); }
  const char* name() const {
    switch (type_) {
      case c10::ScalarType::Byte: return "unsigned char";
      case c10::ScalarType::Char: return "signed char";
      case c10::ScalarType::Short: return "short int";
      case c10::ScalarType::Int: return "int";
      case c10::ScalarType::Long: return "long int";
      case c10::ScalarType::Half: return "c10::Half";
      case c10::ScalarType::Float: return "float";
      case c10::ScalarType::Double: return "double";
      case c10::ScalarType::Bool: return "bool";
      case c10::ScalarType::BFloat16: return "c10::BFloat16";
      default: return c10::toString(type_);
    }
  }
  operator c10::ScalarType() const { return type_; }

 private:
  c10::ScalarType type_ = c10::ScalarType::Undefined;
};
inline bool operator==(TypeMeta a, TypeMeta b) { return a.toScalarType() == b.toScalarType(); }
inline bool operator==(TypeMeta a, c10::ScalarType b) { return a.toScalarType() == b; }
inline void describe(std::string& out, TypeMeta type) { out += type.name(); }
}  // namespace caffe2
