// at::full.
#pragma once
#include <ATen/core/Tensor.h>

namespace at {
inline Tensor full(IntArrayRef size, const Scalar& value, const TensorOptions& options = {}) {
  return made(
      kernelgate::call_with(kernelgate::torch_attribute("full"), kernelgate::factory_keywords(options), size, value),
      options);
}
}  // namespace at
