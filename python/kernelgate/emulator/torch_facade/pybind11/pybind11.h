// The part of pybind11 that an extension's bindings use: modules, functions, argument names and defaults.
#pragma once
#include <kernelgate/binding.h>

namespace pybind11 {

struct arg_v {
  const char* name;
  kernelgate::Object fallback;
};
struct arg {
  const char* name;
  constexpr explicit arg(const char* text) : name(text) {}
  arg& noconvert(bool = true) { return *this; }
  template <typename T>
  arg_v operator=(const T& fallback) const {
    using kernelgate::to_python;  // beside those that the argument's own namespace brings
    return {name, to_python(fallback)};
  }
};
struct none_value {};
inline kernelgate::Object to_python(none_value) { return kernelgate::Object::none(); }
using none = none_value;

inline namespace literals {
constexpr arg operator""_a(const char* name, size_t) { return arg(name); }
}  // namespace literals

// Kernels run to their end inside a call, so that the lock is kept.
struct gil_scoped_release {
  gil_scoped_release() {}
};
struct gil_scoped_acquire {
  gil_scoped_acquire() {}
};
template <typename... T>
struct call_guard {};

class module_ {
 public:
  explicit module_(PyObject* object) : object_(object) {}
  template <typename Function, typename... Extra>
  module_& def(const char* name, Function&& function, const Extra&... extra) {
    kernelgate::Binding* binding = kernelgate::make_binding(std::forward<Function>(function));
    binding->name = name;
    (take(*binding, extra), ...);
    kernelgate::add_to_module(object_, binding);
    return *this;
  }
  const char*& doc() { return doc_; }
  PyObject* ptr() const { return object_; }

 private:
  static void take(kernelgate::Binding& b, const char* text) { b.documentation = text; }
  static void take(kernelgate::Binding& b, const arg& a) { b.parameters.push_back({a.name, {}}); }
  static void take(kernelgate::Binding& b, const arg_v& a) { b.parameters.push_back({a.name, a.fallback}); }
  template <typename... T>
  static void take(kernelgate::Binding&, const call_guard<T...>&) {}
  PyObject* object_;
  const char* doc_ = nullptr;
};
using module = module_;

}  // namespace pybind11

#define KERNELGATE_MODULE(name, variable)                                                        \
  static void kernelgate_fill_module(pybind11::module_&);                                        \
  extern "C" __attribute__((visibility("default"))) PyObject* PyInit_##name() {                  \
    static PyModuleDef definition = {                                                            \
        PyModuleDef_HEAD_INIT, #name, nullptr, -1, nullptr, nullptr, nullptr, nullptr, nullptr}; \
    PyObject* created = PyModule_Create(&definition);                                            \
    if (!created) return nullptr;                                                                \
    try {                                                                                        \
      pybind11::module_ filled(created);                                                         \
      kernelgate_fill_module(filled);                                                            \
    } catch (const kernelgate::PythonErrorSet&) {                                                \
      return nullptr;                                                                            \
    }                                                                                            \
    return created;                                                                              \
  }                                                                                              \
  static void kernelgate_fill_module(pybind11::module_& variable)
#define PYBIND11_MODULE(name, variable) KERNELGATE_MODULE(name, variable)
