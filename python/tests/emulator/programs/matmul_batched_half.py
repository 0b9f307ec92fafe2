"""Batched products of halves, summed in float."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>

__global__ void bmm(const at::Half* a, const at::Half* b, at::Half* c, int M, int N, int K) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x, m = blockIdx.y, batch = blockIdx.z;
  if (n >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k)
    sum += static_cast<float>(a[(batch * M + m) * K + k]) * static_cast<float>(b[(batch * K + k) * N + n]);
  c[(batch * M + m) * N + n] = static_cast<at::Half>(sum);
}

torch::Tensor forward(torch::Tensor a, torch::Tensor b) {
  const int M = a.size(1), K = a.size(2), N = b.size(2);
  auto c = torch::empty({a.size(0), M, N}, a.options());
  bmm<<<dim3((N + 31) / 32, M, a.size(0)), 32>>>(a.data_ptr<at::Half>(), b.data_ptr<at::Half>(),
      c.data_ptr<at::Half>(), M, N, K);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return c;
}
"""

cpp_source = r"""
torch::Tensor forward(torch::Tensor a, torch::Tensor b);
"""

module = load_inline(
    name="matmul_batched_half",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["forward"],
)


class Model(nn.Module):
    def forward(self, a, b):
        return torch.bmm(a, b)


class ModelNew(nn.Module):
    def forward(self, a, b):
        return module.forward(a, b)


def get_inputs():
    return [torch.randn(3, 9, 20).half(), torch.randn(3, 20, 35).half()]


def get_init_inputs():
    return []
