// at::linear.
#pragma once
#include <ATen/core/Tensor.h>

namespace at {
inline Tensor linear(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias = {}) {
  const kernelgate::Object functional = kernelgate::torch_attribute("nn").attribute("functional");
  return Tensor(kernelgate::call(functional.attribute("linear"), input, weight, bias));
}
}  // namespace at
