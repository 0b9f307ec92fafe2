// at::leaky_relu_backward.
#pragma once
#include <ATen/core/Tensor.h>

namespace at {
inline Tensor leaky_relu_backward(const Tensor& grad, const Tensor& x, const Scalar& negative_slope,
                                  bool self_is_result) {
  const kernelgate::Object aten = kernelgate::torch_attribute("ops").attribute("aten");
  return Tensor(kernelgate::call(aten.attribute("leaky_relu_backward"), grad, x, negative_slope, self_is_result));
}
}  // namespace at
