// at::rand_like.
#pragma once
#include <ATen/core/Tensor.h>

namespace at {
inline Tensor rand_like(const Tensor& like, const TensorOptions& options = {},
                        optional<MemoryFormat> format = nullopt) {
  const TensorOptions wanted = format ? options.memory_format(*format) : options;
  return made_like(
      kernelgate::call_with(kernelgate::torch_attribute("rand_like"), kernelgate::factory_keywords(wanted), like),
      wanted, like);
}
}  // namespace at
