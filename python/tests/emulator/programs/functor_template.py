"""An element-wise kernel over a functor type."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>

struct Clamp {
  float low, high;
  __device__ float operator()(float v) const { return v < low ? low : v > high ? high : v; }
};
template <typename Op, int unroll>
__global__ void __launch_bounds__(128) map(const float* __restrict__ x, float* __restrict__ y, int n, Op op) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * unroll;
#pragma unroll
  for (int k = 0; k < unroll; ++k)
    if (first + k < n) y[first + k] = op(x[first + k]);
}

torch::Tensor forward(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const int n = x.numel();
  map<Clamp, 4><<<(n + 511) / 512, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), n, Clamp{-0.5f, 0.5f});
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

cpp_source = r"""
torch::Tensor forward(torch::Tensor x);
"""

module = load_inline(
    name="functor_template",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["forward"],
)


class Model(nn.Module):
    def forward(self, x):
        return torch.clamp(x, -0.5, 0.5)


class ModelNew(nn.Module):
    def forward(self, x):
        return module.forward(x)


def get_inputs():
    return [torch.randn(1001)]


def get_init_inputs():
    return []
