// torch::autograd::Function, with Python's own behind it.
#pragma once
#include <c10/core/GradMode.h>
#include <c10/core/SymInt.h>
#include <kernelgate/operators.h>
#include <torch/types.h>
#include <unordered_map>
#include <variant>

namespace c10 {
// What a context keeps beside tensors.
class IValue {
 public:
  IValue() = default;
  IValue(bool value) : value_(value) {}
  IValue(double value) : value_(value) {}
  IValue(int64_t value) : value_(value) {}
  IValue(int value) : value_(static_cast<int64_t>(value)) {}
  IValue(std::string value) : value_(std::move(value)) {}
  IValue(std::vector<int64_t> value) : value_(std::move(value)) {}
  IValue(ArrayRef<int64_t> value) : value_(value.vec()) {}
  IValue(at::Tensor value) : value_(std::move(value)) {}
  bool toBool() const { return get<bool>(); }
  double toDouble() const { return get<double>(); }
  int64_t toInt() const { return get<int64_t>(); }
  int64_t toSymInt() const { return get<int64_t>(); }
  std::string toStringRef() const { return get<std::string>(); }
  std::vector<int64_t> toIntVector() const { return get<std::vector<int64_t>>(); }
  std::vector<int64_t> toSymIntVector() const { return get<std::vector<int64_t>>(); }
  at::Tensor toTensor() const { return get<at::Tensor>(); }

 private:
  template <typename T>
  T get() const {
    TORCH_CHECK(std::holds_alternative<T>(value_), "the value kept in saved_data is of another type");
    return std::get<T>(value_);
  }
  std::variant<std::monostate, bool, double, int64_t, std::string, std::vector<int64_t>, at::Tensor> value_;
};
}  // namespace c10
namespace at {
using c10::IValue;
}

namespace torch::autograd {

using Variable = at::Tensor;
using variable_list = std::vector<at::Tensor>;
using tensor_list = variable_list;

class AutogradContext {
 public:
  void save_for_backward(variable_list tensors) { with_all("save_for_backward", tensors); }
  variable_list get_saved_variables() const {
    return kernelgate::Result<variable_list>::of(python().attribute("saved_tensors"));
  }
  void mark_dirty(const variable_list& tensors) { with_all("mark_dirty", tensors); }
  void mark_non_differentiable(const variable_list& tensors) { with_all("mark_non_differentiable", tensors); }
  void set_materialize_grads(bool wanted) { kernelgate::call(python().attribute("set_materialize_grads"), wanted); }
  bool needs_input_grad(size_t argument) const {
    const kernelgate::Object needs = python().attribute("needs_input_grad");
    return PyTuple_GetItem(needs.get(), static_cast<Py_ssize_t>(argument) + kOwnArguments) == Py_True;
  }
  std::unordered_map<std::string, at::IValue> saved_data;

 private:
  template <class T>
  friend struct Function;
  static constexpr Py_ssize_t kOwnArguments = 2;  // operators.py's forward and backward come before the program's
  kernelgate::Object python() const { return kernelgate::Object::borrowed(python_); }
  void with_all(const char* method, const variable_list& tensors) {
    const kernelgate::Object all = kernelgate::to_python(at::ArrayRef<at::Tensor>(tensors));
    kernelgate::Object::taken(PyObject_Call(python().attribute(method).get(), all.get(), nullptr));
  }
  PyObject* python_ = nullptr;  // Python's context, while it calls
};

template <class T>
struct Function {
  template <typename... Arguments>
  static auto apply(Arguments&&... arguments) {
    const auto context = std::make_shared<AutogradContext>();
    using Returned = std::decay_t<decltype(T::forward(context.get(), arguments...))>;
    const auto forward = [&](PyObject* given) {
      context->python_ = PyTuple_GetItem(given, 0);
      return kernelgate::to_python(T::forward(context.get(), arguments...));
    };
    const auto backward = [context](PyObject* given) {
      context->python_ = PyTuple_GetItem(given, 0);
      const auto gradients = kernelgate::Object::borrowed(PyTuple_GetItem(given, 1));
      return kernelgate::to_python(T::backward(context.get(), kernelgate::Result<variable_list>::of(gradients)));
    };
    return kernelgate::Result<Returned>::of(
        kernelgate::call(kernelgate::operators_attribute("apply"),
                         kernelgate::python_function(std::make_unique<kernelgate::Closure>(forward)),
                         kernelgate::python_function(std::make_unique<kernelgate::Closure>(backward)),
                         kernelgate::python_tuple(input(arguments)...)));
  }

 private:
  static at::Tensor input(const at::Tensor& tensor) { return tensor; }
  static at::Tensor input(const std::optional<at::Tensor>& tensor) { return tensor.value_or(at::Tensor()); }
  template <typename Other>
  static at::Tensor input(const Other&) {
    return {};
  }
};

}  // namespace torch::autograd
