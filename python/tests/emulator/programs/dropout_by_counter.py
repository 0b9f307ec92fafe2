"""Dropout from a hash of seed and place, the same in every order."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>

__device__ __forceinline__ unsigned hash(unsigned v) {
  v ^= v >> 16;
  v *= 0x7feb352du;
  v ^= v >> 15;
  v *= 0x846ca68bu;
  return v ^ (v >> 16);
}
__global__ void dropout(const float* x, float* y, unsigned seed, float keep, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float u = (hash(i ^ hash(seed)) >> 8) * (1.0f / 16777216.0f);
  y[i] = u < keep ? x[i] / keep : 0.0f;
}

torch::Tensor forward(torch::Tensor x, int64_t seed, double keep) {
  auto y = torch::empty_like(x);
  const int n = x.numel();
  dropout<<<(n + 63) / 64, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), static_cast<unsigned>(seed),
      keep, n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

cpp_source = r"""
torch::Tensor forward(torch::Tensor x, int64_t seed, double keep);
"""

module = load_inline(
    name="dropout_by_counter",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["forward"],
)


class Model(nn.Module):
    def forward(self, x):
        def hashed(v):
            for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
                v = ((v ^ (v >> shift)) * factor) & 0xFFFFFFFF
            return v ^ (v >> 16)

        places = torch.arange(x.numel(), dtype=torch.int64)
        u = (hashed(places ^ hashed(torch.tensor(7))) >> 8).float() / 16777216.0
        return torch.where(u < 0.75, x / 0.75, torch.zeros_like(x))


class ModelNew(nn.Module):
    def forward(self, x):
        return module.forward(x, 7, 0.75)


def get_inputs():
    return [torch.randn(333)]


def get_init_inputs():
    return []
