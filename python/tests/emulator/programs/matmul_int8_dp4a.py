"""Products of bytes, four at a time by __dp4a."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>

__global__ void matmul(const int* a, const int* b, int* c, int M, int N, int words) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x, m = blockIdx.y;
  if (n >= N) return;
  int sum = 0;
  for (int k = 0; k < words; ++k) sum = __dp4a(a[m * words + k], b[n * words + k], sum);
  c[m * N + n] = sum;
}

torch::Tensor forward(torch::Tensor a, torch::Tensor b) {
  TORCH_CHECK(a.scalar_type() == torch::kInt8 && a.size(1) % 4 == 0, "int8, a multiple of four");
  auto c = torch::empty({a.size(0), b.size(0)}, a.options().dtype(torch::kInt32));
  matmul<<<dim3((b.size(0) + 31) / 32, a.size(0)), 32>>>(reinterpret_cast<const int*>(a.data_ptr<int8_t>()),
      reinterpret_cast<const int*>(b.data_ptr<int8_t>()), c.data_ptr<int>(), a.size(0), b.size(0),
          a.size(1) / 4);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return c;
}
"""

cpp_source = r"""
torch::Tensor forward(torch::Tensor a, torch::Tensor b);
"""

module = load_inline(
    name="matmul_int8_dp4a",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["forward"],
)


class Model(nn.Module):
    def forward(self, a, b):
        return a.int() @ b.int().t()


class ModelNew(nn.Module):
    def forward(self, a, b):
        return module.forward(a, b)


def get_inputs():
    return [
        torch.randint(-128, 128, (9, 32), dtype=torch.int8),
        torch.randint(-128, 128, (13, 32), dtype=torch.int8),
    ]


def get_init_inputs():
    return []
