// at::arange.
#pragma once
#include <ATen/core/Tensor.h>

namespace at {
inline Tensor arange(const Scalar& end, const TensorOptions& options = {}) {
  return made(kernelgate::call_with(kernelgate::torch_attribute("arange"), kernelgate::factory_keywords(options), end),
              options);
}
inline Tensor arange(const Scalar& start, const Scalar& end, const TensorOptions& options = {}) {
  return made(
      kernelgate::call_with(kernelgate::torch_attribute("arange"), kernelgate::factory_keywords(options), start, end),
      options);
}
}  // namespace at
