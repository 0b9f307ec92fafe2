"""Matrix times vector, a warp a row, four elements at a time, fused with bias and ReLU."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>

__global__ void matvec(const float* __restrict__ w, const float* __restrict__ x,
    const float* __restrict__ bias, float* y, int rows, int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float4* w4 = reinterpret_cast<const float4*>(w + (size_t)row * columns);
  const float4* x4 = reinterpret_cast<const float4*>(x);
  float sum = 0.0f;
  for (int i = lane; i < columns / 4; i += 32) {
    const float4 a = __ldg(w4 + i), b = x4[i];
    sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
  }
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (lane == 0) y[row] = fmaxf(sum + bias[row], 0.0f);
}

torch::Tensor forward(torch::Tensor x, torch::Tensor w, torch::Tensor bias) {
  TORCH_CHECK(x.numel() % 4 == 0, "columns must be a multiple of four");
  auto y = torch::empty({w.size(0)}, x.options());
  matvec<<<(w.size(0) * 32 + 127) / 128, 128>>>(w.data_ptr<float>(), x.data_ptr<float>(),
      bias.data_ptr<float>(), y.data_ptr<float>(), w.size(0), w.size(1));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

cpp_source = r"""
torch::Tensor forward(torch::Tensor x, torch::Tensor w, torch::Tensor bias);
"""

module = load_inline(
    name="matvec_float4",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["forward"],
)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(140, 11)

    def forward(self, x):
        return torch.relu(self.linear(x))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(140, 11)

    def forward(self, x):
        return module.forward(x, self.linear.weight, self.linear.bias)


def get_inputs():
    return [torch.randn(140)]


def get_init_inputs():
    return []
