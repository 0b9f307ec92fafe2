// torch::autograd: whether a gradient is wanted, and the result that a node made.
#pragma once
#include <torch/csrc/autograd/function.h>

namespace torch::autograd {

template <typename... Tensors>
bool compute_requires_grad(const Tensors&... tensors) {
  return c10::GradMode::is_enabled() && ((tensors.defined() && tensors.requires_grad()) || ...);
}

// Python's function has `made` for its result and calls the node for its backward pass.
inline void set_history(const at::Tensor& made, const std::shared_ptr<Node>& node) {
  const auto forward = [&](PyObject* given) {
    const auto context = kernelgate::Object::borrowed(PyTuple_GetItem(given, 0));
    kernelgate::call(context.attribute("set_materialize_grads"), false);
    variable_list saved;
    auto& waiting = SavedVariable::waiting();
    for (size_t i = node->first_saved_; i < waiting.size(); i++) {
      const auto slot = waiting[i].lock();
      if (!slot) continue;
      slot->keeper = node->context_;
      slot->index = saved.size();
      saved.push_back(std::move(slot->tensor));
    }
    waiting.clear();
    const kernelgate::Object all = kernelgate::to_python(at::ArrayRef<at::Tensor>(saved));
    kernelgate::Object::taken(PyObject_Call(context.attribute("save_for_backward").get(), all.get(), nullptr));
    return kernelgate::to_python(made);
  };
  const auto backward = [node](PyObject* given) {
    const Context::During during(*node->context_, PyTuple_GetItem(given, 0));
    const auto gradients = kernelgate::Object::borrowed(PyTuple_GetItem(given, 1));
    return kernelgate::to_python(node->apply(kernelgate::Result<variable_list>::of(gradients)));
  };
  variable_list inputs;
  for (Edge& edge : std::exchange(node->next_edges_, {})) inputs.push_back(std::move(edge.tensor));
  kernelgate::call(kernelgate::operators_attribute("apply"),
                   kernelgate::python_function(std::make_unique<kernelgate::Closure>(forward)),
                   kernelgate::python_function(std::make_unique<kernelgate::Closure>(backward)), inputs);
}

}  // namespace torch::autograd
