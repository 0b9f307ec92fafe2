// at::mul.
#pragma once
#include <ATen/core/Tensor.h>

namespace at {
template <typename Other>
inline Tensor mul(const Tensor& first, const Other& second) {
  return Tensor(kernelgate::call(kernelgate::torch_attribute("mul"), first, second));
}
}  // namespace at
