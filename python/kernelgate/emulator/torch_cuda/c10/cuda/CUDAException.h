// C10_CUDA_CHECK and C10_CUDA_KERNEL_LAUNCH_CHECK.
#pragma once
#include <c10/util/Exception.h>
#include <c10/util/irange.h>
#include <cuda.h>
#include <cuda_runtime.h>

namespace c10::cuda {
inline void check(cudaError_t error) {
  if (C10_LIKELY(error == cudaSuccess)) return;
  const std::string detail = kernelgate_last_error_detail();
  static_cast<void>(cudaGetLastError());  // reported now: the next check starts afresh
  TORCH_CHECK(false, "CUDA error: ", cudaGetErrorString(error), detail.empty() ? "" : "\n", detail);
}
}  // namespace c10::cuda

#define C10_CUDA_CHECK(EXPR) ::c10::cuda::check(EXPR)
#define C10_CUDA_CHECK_WARN(EXPR) static_cast<void>(EXPR)
#define C10_CUDA_ERROR_HANDLED(EXPR) EXPR
#define C10_CUDA_IGNORE_ERROR(EXPR) static_cast<void>(EXPR)
#define C10_CUDA_CLEAR_ERROR() static_cast<void>(cudaGetLastError())
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
