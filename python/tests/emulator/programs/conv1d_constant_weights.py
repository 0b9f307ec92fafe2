"""One-dimensional convolution, weights copied device to device into constant memory."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>

#define MAX_WEIGHTS 64
__constant__ float weights[MAX_WEIGHTS];
__global__ void conv1d(const float* x, float* y, int length, int taps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y, out = length - taps + 1;
  if (i >= out) return;
  float sum = 0.0f;
  for (int t = 0; t < taps; t++) sum += x[row * length + i + t] * weights[t];
  y[row * out + i] = sum;
}

torch::Tensor forward(torch::Tensor x, torch::Tensor w) {
  TORCH_CHECK(w.numel() <= MAX_WEIGHTS, "too many weights");
  C10_CUDA_CHECK(cudaMemcpyToSymbol(weights, w.data_ptr<float>(), w.numel() * sizeof(float), 0,
      cudaMemcpyDeviceToDevice));
  const int length = x.size(1), taps = w.numel();
  auto y = torch::empty({x.size(0), length - taps + 1}, x.options());
  conv1d<<<dim3((length + 31) / 32, x.size(0)), 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), length, taps);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

cpp_source = r"""
torch::Tensor forward(torch::Tensor x, torch::Tensor w);
"""

module = load_inline(
    name="conv1d_constant_weights",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["forward"],
)


class Model(nn.Module):
    def forward(self, x, w):
        return torch.nn.functional.conv1d(x[:, None], w[None, None])[:, 0]


class ModelNew(nn.Module):
    def forward(self, x, w):
        return module.forward(x, w)


def get_inputs():
    return [torch.randn(3, 60), torch.randn(5)]


def get_init_inputs():
    return []
