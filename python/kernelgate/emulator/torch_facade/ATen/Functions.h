// Free functions of at::. Those with options have a header each; the rest are passed on to Python by name.
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

#define KERNELGATE_FUNCTION(name)                                                        \
  template <typename... T>                                                               \
  inline Tensor name(const Tensor& first, const T&... rest) {                            \
    return Tensor(kernelgate::call(kernelgate::torch_attribute(#name), first, rest...)); \
  }
KERNELGATE_FUNCTION(abs)
KERNELGATE_FUNCTION(add)
KERNELGATE_FUNCTION(addmm)
KERNELGATE_FUNCTION(bmm)
KERNELGATE_FUNCTION(clamp)
KERNELGATE_FUNCTION(conv2d)
KERNELGATE_FUNCTION(div)
KERNELGATE_FUNCTION(exp)
KERNELGATE_FUNCTION(matmul)
KERNELGATE_FUNCTION(mean)
KERNELGATE_FUNCTION(mm)
KERNELGATE_FUNCTION(permute)
KERNELGATE_FUNCTION(pow)
KERNELGATE_FUNCTION(relu)
KERNELGATE_FUNCTION(sigmoid)
KERNELGATE_FUNCTION(softmax)
KERNELGATE_FUNCTION(sqrt)
KERNELGATE_FUNCTION(sub)
KERNELGATE_FUNCTION(sum)
KERNELGATE_FUNCTION(tanh)
KERNELGATE_FUNCTION(transpose)
KERNELGATE_FUNCTION(where)
#undef KERNELGATE_FUNCTION

inline Tensor cat(TensorList tensors, int64_t dim = 0) {
  return Tensor(kernelgate::call(kernelgate::torch_attribute("cat"), tensors, dim));
}
inline Tensor stack(TensorList tensors, int64_t dim = 0) {
  return Tensor(kernelgate::call(kernelgate::torch_attribute("stack"), tensors, dim));
}

}  // namespace at
