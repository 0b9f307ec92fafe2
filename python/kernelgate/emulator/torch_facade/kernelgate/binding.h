// A C++ function as a Python one: arguments by position, by name or by default; C++ errors as Python errors.
#pragma once
#include <kernelgate/from_python.h>
#include <stdexcept>

namespace kernelgate {

struct Parameter {
  std::string name;
  Object fallback;  // empty: the argument must be given
};

struct ArgumentMismatch : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Binding {
 public:
  virtual ~Binding() = default;
  // `arguments` is a tuple, already completed by names and defaults.
  virtual Object invoke(PyObject* arguments) = 0;
  virtual std::string signature() const = 0;
  virtual size_t arity() const = 0;

  std::string name;
  std::string documentation;
  std::vector<Parameter> parameters;
};

template <typename Function, typename Result, typename... Arguments>
class TypedBinding final : public Binding {
 public:
  explicit TypedBinding(Function function) : function_(std::move(function)) {}
  size_t arity() const override { return sizeof...(Arguments); }
  std::string signature() const override {
    std::string text = "(";
    size_t i = 0;
    ((text += (i ? ", " : "") + (i < parameters.size() ? parameters[i].name : "arg" + std::to_string(i)) + ": " +
              FromPython<std::decay_t<Arguments>>::name(),
      i++),
     ...);
    return text + ")";
  }
  Object invoke(PyObject* arguments) override { return invoke(arguments, std::index_sequence_for<Arguments...>()); }

 private:
  template <size_t... I>
  Object invoke([[maybe_unused]] PyObject* arguments, std::index_sequence<I...>) {
    if (static_cast<size_t>(PyTuple_GET_SIZE(arguments)) != sizeof...(Arguments) ||
        !(FromPython<std::decay_t<Arguments>>::accepts(PyTuple_GET_ITEM(arguments, I)) && ...))
      throw ArgumentMismatch(name + "(): incompatible function arguments. The following argument types are supported:\n" +
                             "    1. " + signature());
    std::tuple<Kept<std::decay_t<Arguments>>...> kept{PyTuple_GET_ITEM(arguments, I)...};
    if constexpr (std::is_void_v<Result>) {
      function_(static_cast<Arguments>(std::get<I>(kept).value)...);
      return Object::none();
    } else {
      return to_python(function_(static_cast<Arguments>(std::get<I>(kept).value)...));
    }
  }
  Function function_;
};

template <typename Result, typename... Arguments>
Binding* make_binding(Result (*function)(Arguments...)) {
  return new TypedBinding<Result (*)(Arguments...), Result, Arguments...>(function);
}
template <typename Lambda, typename Result, typename Class, typename... Arguments>
Binding* make_binding(Lambda lambda, Result (Class::*)(Arguments...) const) {
  return new TypedBinding<Lambda, Result, Arguments...>(std::move(lambda));
}
template <typename Lambda, std::enable_if_t<std::is_class_v<Lambda>, int> = 0>
Binding* make_binding(Lambda lambda) {
  return make_binding(std::move(lambda), &Lambda::operator());
}

// Positional arguments first, then each missing one by its name, then by its default.
inline Object complete_arguments(const Binding& binding, PyObject* given, PyObject* named) {
  const size_t positional = static_cast<size_t>(PyTuple_GET_SIZE(given));
  if (positional >= binding.parameters.size() && !named) return Object::borrowed(given);
  Py_ssize_t used = 0;
  std::vector<Object> values;
  for (size_t i = 0; i < std::max(positional, binding.parameters.size()); i++) {
    PyObject* value = nullptr;
    if (i < positional) {
      value = PyTuple_GET_ITEM(given, static_cast<Py_ssize_t>(i));
    } else {
      const Parameter& parameter = binding.parameters[i];
      value = named ? PyDict_GetItemString(named, parameter.name.c_str()) : nullptr;
      used += value != nullptr;
      if (!value) value = parameter.fallback.get();
    }
    if (value) values.push_back(Object::borrowed(value));
  }
  if (named && used != PyDict_Size(named)) values.clear();  // an unknown name: reported as a mismatch
  Object completed = Object::taken(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
  for (size_t i = 0; i < values.size(); i++)
    PyTuple_SET_ITEM(completed.get(), static_cast<Py_ssize_t>(i), values[i].release());
  return completed;
}

// The one place where C++ errors become Python errors.
inline PyObject* run_binding(PyObject* capsule, PyObject* given, PyObject* named) noexcept {
  Binding& binding = *static_cast<Binding*>(PyCapsule_GetPointer(capsule, nullptr));
  try {
    return binding.invoke(complete_arguments(binding, given, named).get()).release();
  } catch (const PythonErrorSet&) {
  } catch (const ArgumentMismatch& e) {
    PyErr_SetString(PyExc_TypeError, e.what());
  } catch (const c10::TypeError& e) {
    PyErr_SetString(PyExc_TypeError, e.what());
  } catch (const c10::ValueError& e) {
    PyErr_SetString(PyExc_ValueError, e.what());
  } catch (const c10::IndexError& e) {
    PyErr_SetString(PyExc_IndexError, e.what());
  } catch (const c10::NotImplementedError& e) {
    PyErr_SetString(PyExc_NotImplementedError, e.what());
  } catch (const std::invalid_argument& e) {
    PyErr_SetString(PyExc_ValueError, e.what());
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "the extension threw something that is no std::exception");
  }
  return nullptr;
}

inline void add_to_module(PyObject* module, Binding* binding) {
  // Both live as long as the module, and a module of an extension is never unloaded.
  PyMethodDef* method = new PyMethodDef{
      binding->name.c_str(), reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&run_binding)),
      METH_VARARGS | METH_KEYWORDS, binding->documentation.c_str()};
  Object capsule = Object::taken(PyCapsule_New(binding, nullptr, nullptr));
  Object function = Object::taken(PyCFunction_New(method, capsule.get()));
  if (PyModule_AddObject(module, binding->name.c_str(), function.release()) != 0) throw PythonErrorSet();
}

}  // namespace kernelgate
