// C++ values to Python objects, and calls of Python functions with them.
#pragma once
#include <c10/core/Scalar.h>
#include <c10/core/TensorOptions.h>
#include <c10/util/ArrayRef.h>
#include <kernelgate/object.h>
#include <string>
#include <tuple>
#include <vector>

namespace at {
class Tensor;
}

namespace kernelgate {

inline const char* torch_name(c10::ScalarType type) {
  switch (type) {
    case c10::kByte: return "uint8";
    case c10::kChar: return "int8";
    case c10::kShort: return "int16";
    case c10::kInt: return "int32";
    case c10::kLong: return "int64";
    case c10::kHalf: return "float16";
    case c10::kFloat: return "float32";
    case c10::kDouble: return "float64";
    case c10::kBool: return "bool";
    case c10::kBFloat16: return "bfloat16";
    default: throw c10::Error("no such element type in emulation");
  }
}

inline Object to_python(const Object& object) { return object; }
inline Object to_python(bool value) { return Object::borrowed(value ? Py_True : Py_False); }
template <typename T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int> = 0>
inline Object to_python(T value) {
  return Object::taken(PyLong_FromLongLong(static_cast<long long>(value)));
}
template <typename T, std::enable_if_t<std::is_floating_point_v<T>, int> = 0>
inline Object to_python(T value) {
  return Object::taken(PyFloat_FromDouble(static_cast<double>(value)));
}
inline Object to_python(const char* text) { return Object::taken(PyUnicode_FromString(text)); }
inline Object to_python(const std::string& text) {
  return Object::taken(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
}
inline Object to_python(std::nullopt_t) { return Object::none(); }
inline Object to_python(c10::ScalarType type) { return torch_attribute(torch_name(type)); }
inline Object to_python(caffe2::TypeMeta type) { return to_python(type.toScalarType()); }
inline Object to_python(const c10::Scalar& value) {
  if (value.isBoolean()) return to_python(value.toBool());
  return value.isFloatingPoint() ? to_python(value.toDouble()) : to_python(value.toLong());
}
inline Object to_python(c10::MemoryFormat format) {
  switch (format) {
    case c10::MemoryFormat::Contiguous: return torch_attribute("contiguous_format");
    case c10::MemoryFormat::Preserve: return torch_attribute("preserve_format");
    case c10::MemoryFormat::ChannelsLast: return torch_attribute("channels_last");
    default: return torch_attribute("channels_last_3d");
  }
}

// Declared before the first call from a template, or two-phase lookup would not find them.
Object to_python(const at::Tensor& tensor);
template <typename T>
Object to_python(c10::ArrayRef<T> values);
template <typename T>
Object to_python(const std::vector<T>& values);
template <typename T>
Object to_python(const std::optional<T>& value);
template <typename A, typename B>
Object to_python(const std::pair<A, B>& values);
template <typename... T>
Object to_python(const std::tuple<T...>& values);

template <typename... T>
inline Object python_tuple(const T&... values) {
  Object tuple = Object::taken(PyTuple_New(sizeof...(T)));
  Py_ssize_t i = 0;
  (PyTuple_SET_ITEM(tuple.get(), i++, to_python(values).release()), ...);
  return tuple;
}
template <typename T>
inline Object to_python(c10::ArrayRef<T> values) {
  Object tuple = Object::taken(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
  for (size_t i = 0; i < values.size(); i++)
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), to_python(values[i]).release());
  return tuple;
}
template <typename T>
inline Object to_python(const std::vector<T>& values) {
  Object list = Object::taken(PyList_New(static_cast<Py_ssize_t>(values.size())));
  for (size_t i = 0; i < values.size(); i++)
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), to_python(values[i]).release());
  return list;
}
template <typename T>
inline Object to_python(const std::optional<T>& value) {
  return value ? to_python(*value) : Object::none();
}
template <typename A, typename B>
inline Object to_python(const std::pair<A, B>& values) {
  return python_tuple(values.first, values.second);
}
template <typename... T>
inline Object to_python(const std::tuple<T...>& values) {
  return std::apply([](const auto&... each) { return python_tuple(each...); }, values);
}

// Keyword arguments of a factory. The device is left out: here all memory is the host's, and `made` says whose it counts as.
inline Object factory_keywords(const c10::TensorOptions& options) {
  Object keywords = Object::taken(PyDict_New());
  auto set = [&](const char* name, const Object& value) {
    if (PyDict_SetItemString(keywords.get(), name, value.get()) != 0) throw PythonErrorSet();
  };
  if (options.dtype_opt()) set("dtype", to_python(*options.dtype_opt()));
  if (options.memory_format_opt()) set("memory_format", to_python(*options.memory_format_opt()));
  if (options.requires_grad()) set("requires_grad", to_python(true));
  return keywords;
}

template <typename... T>
inline Object call(const Object& function, const T&... arguments) {
  return Object::taken(PyObject_Call(function.get(), python_tuple(arguments...).get(), nullptr));
}
template <typename... T>
inline Object call_with(const Object& function, const Object& keywords, const T&... arguments) {
  return Object::taken(PyObject_Call(function.get(), python_tuple(arguments...).get(), keywords.get()));
}

}  // namespace kernelgate
