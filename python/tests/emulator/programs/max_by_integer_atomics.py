"""Maximum of floats by atomicMax and atomicMin on their bits."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>

__device__ void atomic_max_float(float* address, float value) {
  if (value >= 0) atomicMax(reinterpret_cast<int*>(address), __float_as_int(value));
  else atomicMin(reinterpret_cast<unsigned int*>(address), __float_as_uint(value));
}
__global__ void maximum(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomic_max_float(y, x[i]);
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::zeros({1}, x.options());
  const int n = x.numel();
  y.fill_(-INFINITY);
  maximum<<<(n + 63) / 64, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

cpp_source = r"""
torch::Tensor forward(torch::Tensor x);
"""

module = load_inline(
    name="max_by_integer_atomics",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["forward"],
)


class Model(nn.Module):
    def forward(self, x):
        return x.max().reshape(1)


class ModelNew(nn.Module):
    def forward(self, x):
        return module.forward(x)


def get_inputs():
    return [torch.randn(500) - 5]


def get_init_inputs():
    return []
