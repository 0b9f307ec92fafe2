"""Column sums of halves by atomics on pairs."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <cuda_fp16.h>

__global__ void columns(const __half2* x, __half2* y, int rows, int pairs) {
  const int c = threadIdx.x, r = blockIdx.x;
  if (r < rows && c < pairs) atomicAdd(&y[c], x[r * pairs + c]);
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::zeros({x.size(1)}, x.options());
  const int n = x.numel();
  columns<<<x.size(0), 32>>>(reinterpret_cast<const __half2*>(x.data_ptr<at::Half>()),
      reinterpret_cast<__half2*>(y.data_ptr<at::Half>()), x.size(0), x.size(1) / 2);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

cpp_source = r"""
torch::Tensor forward(torch::Tensor x);
"""

module = load_inline(
    name="half2_atomic_columns",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["forward"],
)


class Model(nn.Module):
    def forward(self, x):
        return x.sum(0)


class ModelNew(nn.Module):
    def forward(self, x):
        return module.forward(x)


def get_inputs():
    return [torch.randint(-8, 8, (12, 24)).half()]


def get_init_inputs():
    return []
