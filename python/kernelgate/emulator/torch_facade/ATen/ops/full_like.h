// at::full_like.
#pragma once
#include <ATen/core/Tensor.h>

namespace at {
inline Tensor full_like(const Tensor& like, const Scalar& value, const TensorOptions& options = {}) {
  return made_like(kernelgate::call_with(kernelgate::torch_attribute("full_like"),
                                         kernelgate::factory_keywords(options), like, value),
                   options, like);
}
}  // namespace at
