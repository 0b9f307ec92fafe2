// at::ones.
#pragma once
#include <ATen/core/Tensor.h>

namespace at {
inline Tensor ones(IntArrayRef size, const TensorOptions& options = {}) {
  return made(kernelgate::call_with(kernelgate::torch_attribute("ones"), kernelgate::factory_keywords(options), size),
              options);
}
}  // namespace at
