"""Scaled transpose whose variables, parameters and members carry names of CUDA's own, as nvcc takes them."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>

struct Shape {
  dim3 gridDim, blockDim;
  int warpSize;
};

// A parameter, a template parameter and a member hide CUDA's name, and ::name is still CUDA's.
template <int blockIdx>
__device__ float scaled(float value, int threadIdx) { return value * (blockIdx + 0 * threadIdx); }

__device__ int column(const Shape& shape) {
  const uint3 threadIdx = ::threadIdx;
  return ::blockIdx.x * shape.blockDim.x + threadIdx.x;
}

__global__ void k(const float* __restrict__ x, float* __restrict__ y, int rows, int columns, Shape shape) {
  const int warpSize = shape.warpSize;
  int r = blockIdx.y * blockDim.y + threadIdx.y, c = column(shape);
  if (r < rows && c < columns) y[c * rows + r] = scaled<3>(x[r * columns + c], warpSize);
}

static void launched(const float* x, float* y, int rows, int columns, dim3 gridDim, dim3 blockDim) {
  k<<<gridDim, blockDim>>>(x, y, rows, columns, Shape{gridDim, blockDim, 32});
}

torch::Tensor forward(torch::Tensor x) {
  x = x.contiguous();
  const int rows = x.size(0), columns = x.size(1);
  auto y = torch::empty({columns, rows}, x.options());
  dim3 blockDim(16, 16);
  dim3 gridDim((columns + blockDim.x - 1) / blockDim.x, (rows + blockDim.y - 1) / blockDim.y);
  int threadIdx = 0, blockIdx = threadIdx;
  launched(x.data_ptr<float>() + blockIdx, y.data_ptr<float>(), rows, columns, gridDim, blockDim);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

cpp_source = r"""
torch::Tensor forward(torch::Tensor x);
"""

module = load_inline(
    name="names_of_cuda_as_own",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["forward"],
)


class Model(nn.Module):
    def forward(self, x):
        return (3 * x).t().contiguous()


class ModelNew(nn.Module):
    def forward(self, x):
        return module.forward(x)


def get_inputs():
    return [torch.randn(37, 51)]


def get_init_inputs():
    return []
