"""Attention over tiles of keys with a running softmax; more shared memory than 48 KB by opting in."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>

template <int D, int TILE>
__global__ void flash(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
                      float* __restrict__ out, int n, float scale) {
  extern __shared__ float tile[];
  float* keys = tile;
  float* rows = tile + TILE * D;
  const int head = blockIdx.y, i = blockIdx.x * blockDim.x + threadIdx.x;
  const float* base_k = k + (size_t)head * n * D;
  const float* base_v = v + (size_t)head * n * D;
  float mine[D], sum[D] = {}, top = -INFINITY, total = 0.0f;
  if (i < n)
    for (int c = 0; c < D; c++) mine[c] = q[((size_t)head * n + i) * D + c] * scale;
  for (int first = 0; first < n; first += TILE) {
    __syncthreads();
    for (int e = threadIdx.x; e < TILE * D; e += blockDim.x) {
      const bool inside = first + e / D < n;
      keys[e] = inside ? base_k[first * D + e] : 0.0f;
      rows[e] = inside ? base_v[first * D + e] : 0.0f;
    }
    __syncthreads();
    if (i < n) {
      for (int j = 0; j < min(TILE, n - first); j++) {
        float score = 0.0f;
#pragma unroll
        for (int c = 0; c < D; c++) score += mine[c] * keys[j * D + c];
        const float higher = fmaxf(top, score), keep = expf(top - higher), weight = expf(score - higher);
        total = total * keep + weight;
        for (int c = 0; c < D; c++) sum[c] = sum[c] * keep + weight * rows[j * D + c];
        top = higher;
      }
    }
  }
  if (i < n)
    for (int c = 0; c < D; c++) out[((size_t)head * n + i) * D + c] = sum[c] / total;
}

torch::Tensor forward(torch::Tensor q, torch::Tensor k, torch::Tensor v) {
  TORCH_CHECK(q.size(-1) == 16, "heads of 16");
  const int heads = q.size(0) * q.size(1), n = q.size(2);
  auto out = torch::empty_like(q);
  constexpr int bytes = 2 * 400 * 16 * sizeof(float);
  C10_CUDA_CHECK(cudaFuncSetAttribute(flash<16, 400>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  flash<16, 400><<<dim3((n + 31) / 32, heads), 32, bytes>>>(q.data_ptr<float>(), k.data_ptr<float>(),
      v.data_ptr<float>(),
                                                           out.data_ptr<float>(), n, 0.25f);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}
"""

cpp_source = r"""
torch::Tensor forward(torch::Tensor q, torch::Tensor k, torch::Tensor v);
"""

module = load_inline(
    name="attention_flash",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["forward"],
)


class Model(nn.Module):
    def forward(self, q, k, v):
        return torch.softmax(q @ k.transpose(-1, -2) / 4, -1) @ v


class ModelNew(nn.Module):
    def forward(self, q, k, v):
        return module.forward(q, k, v)


def get_inputs():
    return [torch.randn(1, 2, 45, 16), torch.randn(1, 2, 45, 16), torch.randn(1, 2, 45, 16)]


def get_init_inputs():
    return []
