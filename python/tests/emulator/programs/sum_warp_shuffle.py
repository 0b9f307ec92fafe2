"""Sum by shuffles within warps, then between them."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>

__inline__ __device__ float warp_sum(float v) {
#pragma unroll
  for (int offset = warpSize / 2; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffff, v, offset);
  return v;
}
__global__ void sum(const float* x, float* y, int n) {
  static __shared__ float of_warp[32];
  const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  float v = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) v += x[i];
  v = warp_sum(v);
  if (lane == 0) of_warp[warp] = v;
  __syncthreads();
  v = (threadIdx.x < blockDim.x / warpSize) ? of_warp[lane] : 0.0f;
  if (warp == 0) v = warp_sum(v);
  if (threadIdx.x == 0) atomicAdd(y, v);
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::zeros({1}, x.options());
  const int n = x.numel();
  sum<<<2, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

cpp_source = r"""
torch::Tensor forward(torch::Tensor x);
"""

module = load_inline(
    name="sum_warp_shuffle",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["forward"],
)


class Model(nn.Module):
    def forward(self, x):
        return x.sum().reshape(1)


class ModelNew(nn.Module):
    def forward(self, x):
        return module.forward(x)


def get_inputs():
    return [torch.randn(1500)]


def get_init_inputs():
    return []
