// at::randn.
#pragma once
#include <ATen/core/Tensor.h>

namespace at {
inline Tensor randn(IntArrayRef size, const TensorOptions& options = {}) {
  return made(kernelgate::call_with(kernelgate::torch_attribute("randn"), kernelgate::factory_keywords(options), size),
              options);
}
}  // namespace at
