"""An operator of its own by TORCH_LIBRARY, with shapes for tracing, called through torch.ops."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>

__global__ void scale(const float* x, float* y, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor * x[i];
}

torch::Tensor scale_cuda(const torch::Tensor& x, double factor) {
  auto in = x.contiguous();
  auto y = torch::empty_like(in);
  const int n = in.numel();
  scale<<<(n + 63) / 64, 64>>>(in.data_ptr<float>(), y.data_ptr<float>(), factor, n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
torch::Tensor scale_meta(const torch::Tensor& x, double factor) { return torch::empty_like(x); }

TORCH_LIBRARY(program_of_scale, m) {
  m.def("scale(Tensor x, float factor=2.0) -> Tensor");
}
TORCH_LIBRARY_IMPL(program_of_scale, CUDA, m) {
  m.impl("scale", &scale_cuda);
}
TORCH_LIBRARY_IMPL(program_of_scale, Meta, m) {
  m.impl("scale", &scale_meta);
}
"""

cpp_source = r"""

"""

module = load_inline(
    name="library_operator",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    is_python_module=False,
)


class Model(nn.Module):
    def forward(self, x):
        shape = torch.empty(3, 4, device="meta").shape
        return [2 * x, 3 * x, torch.zeros(shape)]


class ModelNew(nn.Module):
    def forward(self, x):
        traced = torch.ops.program_of_scale.scale(torch.empty(3, 4, device="meta"))
        return [
            torch.ops.program_of_scale.scale(x),
            torch.ops.program_of_scale.scale(x, factor=3.0),
            torch.zeros(traced.shape, device=x.device),
        ]


def get_inputs():
    return [torch.randn(4, 9).t()]


def get_init_inputs():
    return []
