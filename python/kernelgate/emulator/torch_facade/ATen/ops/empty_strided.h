// at::empty_strided.
#pragma once
#include <ATen/core/Tensor.h>

namespace at {
inline Tensor empty_strided(IntArrayRef size, IntArrayRef stride, const TensorOptions& options = {}) {
  return made(kernelgate::call_with(kernelgate::torch_attribute("empty_strided"), kernelgate::factory_keywords(options),
                                    size, stride),
              options);
}
inline Tensor empty_strided_symint(IntArrayRef size, IntArrayRef stride, const TensorOptions& options = {}) {
  return empty_strided(size, stride, options);
}
}  // namespace at
