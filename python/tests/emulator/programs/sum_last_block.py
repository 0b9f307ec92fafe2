"""Sum in one launch: the last block to finish adds what all have left."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>

__device__ unsigned int finished = 0;
__global__ void sum(const float* x, float* partial, float* y, int n) {
  __shared__ float s[64];
  __shared__ bool is_last;
  float v = 0.0f;
  for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += gridDim.x * 64) v += x[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int step = 32; step > 0; step >>= 1) {
    if (threadIdx.x < step) s[threadIdx.x] += s[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = s[0];
    __threadfence();
    is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    float total = 0.0f;
    for (int b = 0; b < gridDim.x; b++) total += ((volatile float*)partial)[b];
    y[0] = total;
  }
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::zeros({1}, x.options());
  const int n = x.numel();
  auto partial = torch::empty({5}, x.options());
  sum<<<5, 64>>>(x.data_ptr<float>(), partial.data_ptr<float>(), y.data_ptr<float>(), n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

cpp_source = r"""
torch::Tensor forward(torch::Tensor x);
"""

module = load_inline(
    name="sum_last_block",
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
    return [torch.randn(900)]


def get_init_inputs():
    return []
