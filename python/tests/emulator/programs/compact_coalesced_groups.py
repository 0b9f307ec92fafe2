"""Positive elements counted by the lanes that stand together: one atomic a warp."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <cooperative_groups.h>

namespace cg = cooperative_groups;
__global__ void count(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0.0f) {
    auto active = cg::coalesced_threads();
    int before = 0;
    if (active.thread_rank() == 0) before = static_cast<int>(atomicAdd(y, static_cast<float>(active.size())));
    before = active.shfl(before, 0);
    if (before + active.thread_rank() >= n) y[0] = -1.0f;
  }
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::zeros({1}, x.options());
  const int n = x.numel();
  count<<<(n + 63) / 64, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

cpp_source = r"""
torch::Tensor forward(torch::Tensor x);
"""

module = load_inline(
    name="compact_coalesced_groups",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["forward"],
)


class Model(nn.Module):
    def forward(self, x):
        return (x > 0).sum().float().reshape(1)


class ModelNew(nn.Module):
    def forward(self, x):
        return module.forward(x)


def get_inputs():
    return [torch.randn(300)]


def get_init_inputs():
    return []
