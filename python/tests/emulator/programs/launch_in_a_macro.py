"""A launch behind a macro with a template argument and a check."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>

#define CHECK_LAUNCH()           \
  do {                           \
    C10_CUDA_KERNEL_LAUNCH_CHECK(); \
  } while (0)
#define LAUNCH(KERNEL, THREADS, ...)                               \
  do {                                                             \
    KERNEL<THREADS><<<(n + THREADS - 1) / THREADS, THREADS>>>(__VA_ARGS__); \
    CHECK_LAUNCH();                                                \
  } while (0)
template <int threads>
__global__ void square(const float* x, float* y, int n) {
  int i = blockIdx.x * threads + threadIdx.x;
  if (i < n) y[i] = x[i] * x[i];
}

torch::Tensor forward(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const int n = x.numel();
  LAUNCH(square, 64, x.data_ptr<float>(), y.data_ptr<float>(), n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

cpp_source = r"""
torch::Tensor forward(torch::Tensor x);
"""

module = load_inline(
    name="launch_in_a_macro",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["forward"],
)


class Model(nn.Module):
    def forward(self, x):
        return x * x


class ModelNew(nn.Module):
    def forward(self, x):
        return module.forward(x)


def get_inputs():
    return [torch.randn(200)]


def get_init_inputs():
    return []
