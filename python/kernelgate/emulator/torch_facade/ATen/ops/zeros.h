// at::zeros.
#pragma once
#include <ATen/core/Tensor.h>

namespace at {
inline Tensor zeros(IntArrayRef size, const TensorOptions& options = {}) {
  return made(kernelgate::call_with(kernelgate::torch_attribute("zeros"), kernelgate::factory_keywords(options), size),
              options);
}
}  // namespace at
