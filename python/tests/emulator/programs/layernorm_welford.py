"""LayerNorm with Welford's update joined across lanes and warps."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>

struct Moments {
  float mean, m2, count;
};
__device__ Moments join(Moments a, Moments b) {
  const float count = a.count + b.count;
  if (count == 0.0f) return a;
  const float delta = b.mean - a.mean;
  return {a.mean + delta * b.count / count, a.m2 + b.m2 + delta * delta * a.count * b.count / count, count};
}
__device__ Moments join_lanes(Moments m) {
  for (int offset = 16; offset > 0; offset >>= 1)
    m = join(m, Moments{__shfl_down_sync(0xffffffffu, m.mean, offset), __shfl_down_sync(0xffffffffu, m.m2,
        offset),
                        __shfl_down_sync(0xffffffffu, m.count, offset)});
  return m;
}
__global__ void layernorm(const float* x, const float* weight, const float* bias, float* y, int columns,
    float epsilon) {
  __shared__ Moments of_warp[4];
  __shared__ Moments all;
  const float* row = x + blockIdx.x * columns;
  Moments m{0.0f, 0.0f, 0.0f};
  for (int c = threadIdx.x; c < columns; c += blockDim.x) m = join(m, Moments{row[c], 0.0f, 1.0f});
  m = join_lanes(m);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = m;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / 32; w++) m = join(m, of_warp[w]);
    all = m;
  }
  __syncthreads();
  const float scale = rsqrtf(all.m2 / all.count + epsilon);
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    y[blockIdx.x * columns + c] = (row[c] - all.mean) * scale * weight[c] + bias[c];
}

torch::Tensor forward(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double epsilon) {
  auto y = torch::empty_like(x);
  const int columns = x.size(-1), rows = x.numel() / columns;
  layernorm<<<rows, 128>>>(x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(),
      y.data_ptr<float>(), columns, epsilon);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

cpp_source = r"""
torch::Tensor forward(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double epsilon);
"""

module = load_inline(
    name="layernorm_welford",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["forward"],
)


class Model(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.norm = nn.LayerNorm(columns)

    def forward(self, x):
        return self.norm(x)


class ModelNew(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.norm = nn.LayerNorm(columns)

    def forward(self, x):
        return module.forward(x, self.norm.weight, self.norm.bias, self.norm.eps)


def get_inputs():
    return [torch.randn(2, 5, 150) + 3]


def get_init_inputs():
    return [150]
