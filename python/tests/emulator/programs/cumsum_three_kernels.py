"""Scan over many blocks in three launches."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>

__global__ void scan_block(const float* x, float* y, float* totals, int n) {
  __shared__ float of_warp[4];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float v = i < n ? x[i] : 0.0f;
  for (int d = 1; d < 32; d <<= 1) {
    const float before = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += before;
  }
  if (lane == 31) of_warp[warp] = v;
  __syncthreads();
  for (int w = 0; w < warp; w++) v += of_warp[w];
  if (i < n) y[i] = v;
  if (threadIdx.x == blockDim.x - 1) totals[blockIdx.x] = v;
}
__global__ void scan_totals(float* totals, int blocks) {
  if (threadIdx.x == 0 && blockIdx.x == 0)
    for (int b = 1; b < blocks; b++) totals[b] += totals[b - 1];
}
__global__ void add_totals(float* y, const float* totals, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x > 0 && i < n) y[i] += totals[blockIdx.x - 1];
}

torch::Tensor forward(torch::Tensor x) {
  const int n = x.numel(), blocks = (n + 127) / 128;
  auto y = torch::empty_like(x);
  auto totals = torch::empty({blocks}, x.options());
  scan_block<<<blocks, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), totals.data_ptr<float>(), n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  scan_totals<<<1, 1>>>(totals.data_ptr<float>(), blocks);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  add_totals<<<blocks, 128>>>(y.data_ptr<float>(), totals.data_ptr<float>(), n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

cpp_source = r"""
torch::Tensor forward(torch::Tensor x);
"""

module = load_inline(
    name="cumsum_three_kernels",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["forward"],
)


class Model(nn.Module):
    def forward(self, x):
        return x.cumsum(0)


class ModelNew(nn.Module):
    def forward(self, x):
        return module.forward(x)


def get_inputs():
    return [torch.randn(700)]


def get_init_inputs():
    return []
