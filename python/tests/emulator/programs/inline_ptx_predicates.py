"""Registers, predicates and lane numbers of inline PTX: negative lanes are dropped."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>

__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float kept;
  unsigned lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm volatile(
      "{\n"
      "  .reg .pred p;\n"
      "  .reg .b32 odd;\n"
      "  and.b32 odd, %2, 1;\n"
      "  setp.ne.u32 p, odd, 0;\n"
      "  selp.f32 %0, 0f00000000, %1, p;\n"
      "  @!p add.f32 %0, %0, 0f3F800000;\n"
      "}\n"
      : "=f"(kept)
      : "f"(x[i]), "r"(lane));
  y[i] = kept;
}

torch::Tensor forward(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const int n = x.numel();
  k<<<(n + 63) / 64, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

cpp_source = r"""
torch::Tensor forward(torch::Tensor x);
"""

module = load_inline(
    name="inline_ptx_predicates",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["forward"],
)


class Model(nn.Module):
    def forward(self, x):
        return torch.where(torch.arange(x.numel(), device=x.device) % 2 == 1, torch.zeros_like(x), x + 1)


class ModelNew(nn.Module):
    def forward(self, x):
        return module.forward(x)


def get_inputs():
    return [torch.randn(160)]


def get_init_inputs():
    return []
