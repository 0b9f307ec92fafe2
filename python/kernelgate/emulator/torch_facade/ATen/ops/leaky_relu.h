// at::leaky_relu, out of place and in place.
#pragma once
#include <ATen/core/Tensor.h>

namespace at {
inline Tensor leaky_relu(const Tensor& x, const Scalar& negative_slope = 0.01) {
  const kernelgate::Object functional = kernelgate::torch_attribute("nn").attribute("functional");
  return Tensor(kernelgate::call(functional.attribute("leaky_relu"), x, negative_slope));
}
inline Tensor& leaky_relu_(Tensor& x, const Scalar& negative_slope = 0.01) {
  const kernelgate::Object functional = kernelgate::torch_attribute("nn").attribute("functional");
  kernelgate::call(functional.attribute("leaky_relu_"), x, negative_slope);
  return x;
}
}  // namespace at
