// at::rand.
#pragma once
#include <ATen/core/Tensor.h>

namespace at {
inline Tensor rand(IntArrayRef size, const TensorOptions& options = {}) {
  return made(kernelgate::call_with(kernelgate::torch_attribute("rand"), kernelgate::factory_keywords(options), size),
              options);
}
}  // namespace at
