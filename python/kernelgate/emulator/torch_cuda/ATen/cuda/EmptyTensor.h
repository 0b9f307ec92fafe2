// Tensors of the GPU, made without the dispatcher.
#pragma once
#include <ATen/ops/empty.h>

namespace at::detail {
inline Tensor empty_cuda(IntArrayRef size, const TensorOptions& options) {
#ifdef KERNELGATE_TORCH  // torch's own headers, under which all memory is the CPU's
  return at::empty(size, options.device(kCPU));
#else
  return at::empty(size, options.device(kCUDA));
#endif
}
inline Tensor empty_cuda(IntArrayRef size, ScalarType type, std::optional<Device>, std::optional<MemoryFormat> format) {
  const TensorOptions options = TensorOptions().dtype(type);
  return empty_cuda(size, format ? options.memory_format(*format) : options);
}
}  // namespace at::detail
