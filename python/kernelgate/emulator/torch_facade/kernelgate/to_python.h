// C++ values to Python objects, and calls of Python functions with them.
#pragma once
#include <c10/core/Scalar.h>
#include <c10/core/TensorOptions.h>
#include <c10/util/ArrayRef.h>
#include <kernelgate/object.h>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace at {
class Tensor;
}

namespace kernelgate {

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
inline Object to_python(std::string_view text) {
  return Object::taken(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
}
inline Object to_python(const std::string& text) { return to_python(std::string_view(text)); }
inline Object to_python(std::nullopt_t) { return Object::none(); }
KERNELGATE_IN_LIBRARY Object to_python(c10::ScalarType type);
inline Object to_python(caffe2::TypeMeta type) { return to_python(type.toScalarType()); }
KERNELGATE_IN_LIBRARY Object to_python(const c10::Scalar& value);
KERNELGATE_IN_LIBRARY Object to_python(c10::MemoryFormat format);

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

KERNELGATE_IN_LIBRARY Object tuple_of(Object* objects, size_t count);  // which it takes
template <typename... T>
inline Object python_tuple(const T&... values) {
  if constexpr (sizeof...(T) == 0) {
    return tuple_of(nullptr, 0);
  } else {
    Object objects[] = {to_python(values)...};
    return tuple_of(objects, sizeof...(T));
  }
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
KERNELGATE_IN_LIBRARY Object factory_keywords(const c10::TensorOptions& options);

KERNELGATE_IN_LIBRARY Object call_object(const Object& function, const Object& arguments, PyObject* keywords);
template <typename... T>
inline Object call(const Object& function, const T&... arguments) {
  return call_object(function, python_tuple(arguments...), nullptr);
}
template <typename... T>
inline Object call_with(const Object& function, const Object& keywords, const T&... arguments) {
  return call_object(function, python_tuple(arguments...), keywords.get());
}

}  // namespace kernelgate
