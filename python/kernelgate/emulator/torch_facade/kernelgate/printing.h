// What programs write to a stream: whatever has a `describe`, in PyTorch's words. Without <ostream>, which takes time: a
// program that writes has it (translate/units.py).
#pragma once
#include <ATen/core/Tensor.h>

namespace at {
// As Python shows it.
inline void describe(std::string& out, const Tensor& tensor) {
  if (!tensor.defined()) return kernelgate::append(out, "[ Tensor (undefined) ]");
  const kernelgate::Object text = kernelgate::Object::taken(PyObject_Str(tensor.python().get()));
  if (const char* words = PyUnicode_AsUTF8(text.get())) kernelgate::append(out, words);
}
inline void describe(std::string& out, const DeprecatedTypeProperties& type) {
  kernelgate::append(out, type.is_cuda() ? "CUDA" : "CPU");
  kernelgate::append(out, c10::toString(type.scalarType()));
  kernelgate::append(out, "Type");
}
}  // namespace at

namespace kernelgate {
template <typename T>
concept Described = (std::is_class_v<T> && !std::is_convertible_v<T, std::string_view>) || std::is_enum_v<T>;
}  // namespace kernelgate

// In the namespace of each such type, where it is looked for.
#define KERNELGATE_PRINTS(space)                                                                             \
  namespace space {                                                                                          \
  template <typename Stream, kernelgate::Described T>                                                        \
  auto operator<<(Stream& out, const T& value)                                                               \
      -> decltype(describe(std::declval<std::string&>(), value), out << static_cast<const char*>(nullptr)) { \
    std::string text;                                                                                        \
    describe(text, value);                                                                                   \
    return out << text.c_str();                                                                              \
  }                                                                                                          \
  }
KERNELGATE_PRINTS(c10)
KERNELGATE_PRINTS(at)
KERNELGATE_PRINTS(caffe2)
#undef KERNELGATE_PRINTS
