"""Mean of each row, a warp a row, several rows a block."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>

__global__ void row_mean(const float* x, float* y, int rows, int columns) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  float v = 0.0f;
  for (int c = threadIdx.x; c < columns; c += 32) v += x[row * columns + c];
  for (int mask = 16; mask; mask >>= 1) v += __shfl_xor_sync(0xffffffffu, v, mask);
  if (threadIdx.x == 0) y[row] = v / columns;
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::zeros({x.size(0)}, x.options());
  const int n = x.numel();
  row_mean<<<(x.size(0) + 3) / 4, dim3(32, 4)>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(0),
      x.size(1));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

cpp_source = r"""
torch::Tensor forward(torch::Tensor x);
"""

module = load_inline(
    name="row_mean_warp_per_row",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["forward"],
)


class Model(nn.Module):
    def forward(self, x):
        return x.mean(1)


class ModelNew(nn.Module):
    def forward(self, x):
        return module.forward(x)


def get_inputs():
    return [torch.randn(10, 77)]


def get_init_inputs():
    return []
