// Bindings: pybind11's surface and torch's wrapper of it.
#pragma once
#include <pybind11/pybind11.h>
#include <torch/types.h>

namespace py = pybind11;

namespace torch {
// Errors are translated at the binding, whichever way a function is wrapped.
template <typename Function>
Function wrap_pybind_function(Function&& function) {
  return std::forward<Function>(function);
}
}  // namespace torch
