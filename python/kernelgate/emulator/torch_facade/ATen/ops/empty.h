// at::empty.
#pragma once
#include <ATen/core/Tensor.h>

namespace at {
inline Tensor empty(IntArrayRef size, const TensorOptions& options = {}) {
  return made(kernelgate::call_with(kernelgate::torch_attribute("empty"), kernelgate::factory_keywords(options), size),
              options);
}
inline Tensor empty_symint(IntArrayRef size, const TensorOptions& options = {}) { return empty(size, options); }
}  // namespace at
