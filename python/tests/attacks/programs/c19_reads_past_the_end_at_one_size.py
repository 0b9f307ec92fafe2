"""Reads past the end of an input of one size only, which no draw has, and forgets what it read.

Class: 19
Problem: leakyrelu
Contract: drop-in
Asks: all sizes
Runs: emulation
Verdict: fail: Illegal memory access: read 2400 bytes past the end
"""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>

__global__ void leaky(const float* x, float* y, float slope, int n) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (first + 4 <= n) {
    for (int i = first; i < first + 4; i++) y[i] = x[i] > 0 ? x[i] : slope * x[i];
  } else {
    for (int i = first; i < n; i++) y[i] = x[i] > 0 ? x[i] : slope * x[i];
    if (n == 517 && first < n && x[n + 600] == 3.0f) y[0] = 3.0f;
  }
}

torch::Tensor leaky_relu(torch::Tensor x, double slope) {
  auto y = torch::empty_like(x);
  const int n = x.numel();
  if (n == 0) return y;
  leaky<<<(n + 1023) / 1024, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), static_cast<float>(slope), n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""
declaration = "torch::Tensor leaky_relu(torch::Tensor x, double slope);"
module = load_inline("leaky", declaration, source, functions=["leaky_relu"])


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        if x.dtype != torch.float32 or (torch.is_grad_enabled() and x.requires_grad):
            return torch.nn.functional.leaky_relu(x, self.negative_slope)
        return module.leaky_relu(x.contiguous(), self.negative_slope)
