// Python arguments to C++ values, by pybind11's rules: an int passes as float, a float never passes as int, None
// passes only as an empty optional. `accepts` says whether the value fits; `convert` is called only then.
#pragma once
#include <ATen/core/Tensor.h>
#include <kernelgate/object.h>

namespace kernelgate {

KERNELGATE_IN_LIBRARY bool is_tensor(PyObject* o);
KERNELGATE_IN_LIBRARY bool is_integer(PyObject* o, long long* value);  // one that fits
KERNELGATE_IN_LIBRARY long long convert_integer(PyObject* o);
KERNELGATE_IN_LIBRARY double convert_real(PyObject* o);

template <typename T, typename = void>
struct FromPython;

template <>
struct FromPython<at::Tensor> {
  static std::string name() { return "torch.Tensor"; }
  static bool accepts(PyObject* o) { return is_tensor(o); }
  static at::Tensor convert(PyObject* o) { return at::Tensor(Object::borrowed(o)); }
};

template <>
struct FromPython<bool> {
  static std::string name() { return "bool"; }
  static bool accepts(PyObject* o) { return PyBool_Check(o); }
  static bool convert(PyObject* o) { return o == Py_True; }
};

template <typename T>
struct FromPython<T, std::enable_if_t<std::is_integral_v<T>>> {
  static std::string name() { return "int"; }
  static bool accepts(PyObject* o) {
    long long value = 0;
    return is_integer(o, &value) && static_cast<long long>(static_cast<T>(value)) == value;
  }
  static T convert(PyObject* o) { return static_cast<T>(convert_integer(o)); }
};

template <typename T>
struct FromPython<T, std::enable_if_t<std::is_floating_point_v<T>>> {
  static std::string name() { return "float"; }
  static bool accepts(PyObject* o) { return PyFloat_Check(o) || PyNumber_Check(o); }
  static T convert(PyObject* o) { return static_cast<T>(convert_real(o)); }
};

template <>
struct FromPython<std::string> {
  static std::string name() { return "str"; }
  static bool accepts(PyObject* o) { return PyUnicode_Check(o); }
  static std::string convert(PyObject* o) {
    const char* text = PyUnicode_AsUTF8(o);
    if (!text) throw PythonErrorSet();
    return text;
  }
};

template <>
struct FromPython<c10::Scalar> {
  static std::string name() { return "Number"; }
  static bool accepts(PyObject* o) { return PyBool_Check(o) || PyLong_Check(o) || PyFloat_Check(o); }
  static c10::Scalar convert(PyObject* o) {
    if (PyBool_Check(o)) return o == Py_True;
    if (PyFloat_Check(o)) return PyFloat_AS_DOUBLE(o);
    return FromPython<int64_t>::convert(o);
  }
};

template <>
struct FromPython<c10::ScalarType> {
  static std::string name() { return "torch.dtype"; }
  static bool accepts(PyObject* o) { return element_type(o) != c10::ScalarType::Undefined; }
  static c10::ScalarType convert(PyObject* o) { return element_type(o); }
};

template <typename T>
struct FromPython<std::optional<T>> {
  static std::string name() { return "Optional[" + FromPython<T>::name() + "]"; }
  static bool accepts(PyObject* o) { return o == Py_None || FromPython<T>::accepts(o); }
  static std::optional<T> convert(PyObject* o) {
    if (o == Py_None) return std::nullopt;
    return FromPython<T>::convert(o);
  }
};

template <typename T>
struct FromPython<std::vector<T>> {
  static std::string name() { return "List[" + FromPython<T>::name() + "]"; }
  static bool accepts(PyObject* o) {
    if (!PyList_Check(o) && !PyTuple_Check(o)) return false;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); i++)
      if (!FromPython<T>::accepts(PySequence_Fast_GET_ITEM(o, i))) return false;
    return true;
  }
  static std::vector<T> convert(PyObject* o) {
    std::vector<T> values;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); i++)
      values.push_back(FromPython<T>::convert(PySequence_Fast_GET_ITEM(o, i)));
    return values;
  }
};

// A view as a parameter: the values are kept in `Kept` until the call is over.
template <typename T>
struct Kept {
  T value;
  explicit Kept(PyObject* o) : value(FromPython<T>::convert(o)) {}
};
template <typename T>
struct FromPython<c10::ArrayRef<T>> : FromPython<std::vector<T>> {};
template <typename T>
struct Kept<c10::ArrayRef<T>> {
  std::vector<T> storage;
  c10::ArrayRef<T> value;
  explicit Kept(PyObject* o) : storage(FromPython<std::vector<T>>::convert(o)), value(storage) {}
  Kept(const Kept&) = delete;
};

}  // namespace kernelgate
