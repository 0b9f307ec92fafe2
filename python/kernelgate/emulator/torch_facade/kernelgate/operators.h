// The way from C++ to emulator/operators.py and back: Python functions made of C++ closures, and results as C++ values.
#pragma once
#include <functional>
#include <kernelgate/binding.h>
#include <memory>
#include <tuple>

namespace kernelgate {

// A Python function of the object that made it; goes when Python lets it go.
KERNELGATE_IN_LIBRARY Object python_function(std::unique_ptr<Binding> binding);

class Closure final : public Binding {
 public:
  explicit Closure(std::function<Object(PyObject*)> function) : function_(std::move(function)) {}
  size_t arity() const override { return 0; }
  std::string signature() const override { return "()"; }
  Object invoke(PyObject* arguments) override { return function_(arguments); }

 private:
  std::function<Object(PyObject*)> function_;
};

inline at::Tensor tensor_or_none(PyObject* object) {
  return object == Py_None ? at::Tensor() : at::Tensor(Object::borrowed(object));
}

template <typename T>
struct Result {
  static T of(const Object& object) { return FromPython<T>::convert(object.get()); }
};
template <>
struct Result<void> {
  static void of(const Object&) {}
};
template <>
struct Result<at::Tensor> {
  static at::Tensor of(const Object& object) { return tensor_or_none(object.get()); }
};
template <>
struct Result<std::vector<at::Tensor>> {
  static std::vector<at::Tensor> of(const Object& object) {
    std::vector<at::Tensor> tensors;
    const Object sequence = Object::taken(PySequence_Fast(object.get(), "not a sequence of tensors"));
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence.get()); i++)
      tensors.push_back(tensor_or_none(PySequence_Fast_GET_ITEM(sequence.get(), i)));
    return tensors;
  }
};
template <typename... T>
struct Result<std::tuple<T...>> {
  static std::tuple<T...> of(const Object& object) { return of(object, std::index_sequence_for<T...>()); }
  template <size_t... I>
  static std::tuple<T...> of(const Object& object, std::index_sequence<I...>) {
    return {Result<T>::of(Object::taken(PySequence_GetItem(object.get(), I)))...};
  }
};

// An operator of PyTorch's, by its name and overload, with its arguments in the order of its schema.
template <typename R, typename... T>
inline R aten(const char* name, const char* overload, const T&... arguments) {
  return Result<R>::of(call(operators_attribute("call"), name, overload, arguments...));
}

}  // namespace kernelgate
