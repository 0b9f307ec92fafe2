// CUDA_KERNEL_LOOP: a grid-stride loop.
#pragma once
#include <c10/util/Exception.h>
#include <cuda_runtime.h>

#define CUDA_KERNEL_LOOP_TYPE(i, n, index_type)                                     \
  int64_t _i_n_d_e_x = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; \
  for (index_type i = _i_n_d_e_x; _i_n_d_e_x < (n); _i_n_d_e_x += blockDim.x * gridDim.x, i = _i_n_d_e_x)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)

namespace at::cuda::detail {
constexpr int CUDA_NUM_THREADS = 1024;
inline int GET_BLOCKS(const int64_t n, const int64_t threads = CUDA_NUM_THREADS) {
  TORCH_INTERNAL_ASSERT(n > 0, "CUDA kernel launch blocks must be positive, but got N=", n);
  return static_cast<int>((n - 1) / threads + 1);
}
}  // namespace at::cuda::detail
