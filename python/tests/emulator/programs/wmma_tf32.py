"""Tensor cores by nvcuda::wmma on tf32, the second operand by columns."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <mma.h>

using namespace nvcuda;
__global__ void matmul(const float* a, const float* b, float* c, int M, int N, int K) {
  const int m = blockIdx.y * 16, n = blockIdx.x * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  for (int k = 0; k < K; k += 8) {
    wmma::load_matrix_sync(fa, a + m * K + k, K);
    wmma::load_matrix_sync(fb, b + k * N + n, N);
    for (int t = 0; t < fa.num_elements; t++) fa.x[t] = wmma::__float_to_tf32(fa.x[t]);
    for (int t = 0; t < fb.num_elements; t++) fb.x[t] = wmma::__float_to_tf32(fb.x[t]);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(c + m * N + n, fc, N, wmma::mem_row_major);
}

torch::Tensor forward(torch::Tensor a, torch::Tensor b) {
  TORCH_CHECK(a.size(1) == b.size(0), "inner sizes differ");
  const int M = a.size(0), K = a.size(1), N = b.size(1);
  auto c = torch::empty({M, N}, a.options());
  matmul<<<dim3(N / 16, M / 16), 32>>>(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), M, N, K);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return c;
}
"""

cpp_source = r"""
torch::Tensor forward(torch::Tensor a, torch::Tensor b);
"""

module = load_inline(
    name="wmma_tf32",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["forward"],
)


class Model(nn.Module):
    def forward(self, a, b):
        return a @ b


class ModelNew(nn.Module):
    def forward(self, a, b):
        return module.forward(a, b)


def get_inputs():
    return [torch.randn(16, 24), torch.randn(24, 32)]


def get_init_inputs():
    return []
