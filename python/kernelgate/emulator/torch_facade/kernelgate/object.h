// Python objects from C++: an owning reference, and the exception that says a Python error is already set.
// The facade reaches torch only through here, so that no torch header and no torch ABI is involved.
#pragma once
#include <Python.h>
#include <kernelgate/in_library.h>
#include <utility>

namespace kernelgate {

struct PythonErrorSet {};
[[noreturn]] KERNELGATE_IN_LIBRARY void throw_python_error_set();

class Object {
 public:
  Object() = default;
  Object(const Object& other) : held_(other.held_) { Py_XINCREF(held_); }
  Object(Object&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
  Object& operator=(Object other) noexcept { return std::swap(held_, other.held_), *this; }
  ~Object() { Py_XDECREF(held_); }

  // Takes over a new reference, as almost every call of the C API returns one; null means an error is set.
  static Object taken(PyObject* reference) {
    if (!reference) throw_python_error_set();
    Object object;
    object.held_ = reference;
    return object;
  }
  static Object borrowed(PyObject* reference) {
    Py_XINCREF(reference);
    return taken(reference);
  }
  static Object none() { return borrowed(Py_None); }

  PyObject* get() const { return held_; }
  PyObject* release() { return std::exchange(held_, nullptr); }
  explicit operator bool() const { return held_ != nullptr; }
  Object attribute(const char* name) const { return taken(PyObject_GetAttrString(held_, name)); }

 private:
  PyObject* held_ = nullptr;
};

KERNELGATE_IN_LIBRARY Object torch_attribute(const char* name);

}  // namespace kernelgate
