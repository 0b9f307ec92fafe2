// at::empty_like.
#pragma once
#include <ATen/core/Tensor.h>

namespace at {
inline Tensor empty_like(const Tensor& like, const TensorOptions& options = {},
                         optional<MemoryFormat> format = nullopt) {
  const TensorOptions wanted = format ? options.memory_format(*format) : options;
  return made_like(
      kernelgate::call_with(kernelgate::torch_attribute("empty_like"), kernelgate::factory_keywords(wanted), like),
      wanted, like);
}
}  // namespace at
