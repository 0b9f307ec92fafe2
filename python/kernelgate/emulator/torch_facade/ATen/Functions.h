// Functions of at:: that make a tensor by its options, a header each. The rest are declared where a program calls them, as
// PyTorch's own headers do (translate/torch_operators.py).
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/full.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/leaky_relu_backward.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/rand_like.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/randn_like.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

namespace at {
template <typename T>
inline Tensor tensor(const T& values, const TensorOptions& options = {}) {
  return made(
      kernelgate::call_with(kernelgate::torch_attribute("tensor"), kernelgate::factory_keywords(options), values),
      options);
}
template <typename T>
inline Tensor tensor(std::initializer_list<T> values, const TensorOptions& options = {}) {
  return tensor(ArrayRef<T>(values), options);
}
}  // namespace at
