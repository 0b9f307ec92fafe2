"""Tensor cores by nvcuda::wmma, halves in, floats out."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;
__global__ void matmul(const half* a, const half* b, float* c, int M, int N, int K) {
  const int m = blockIdx.y * 16, n = blockIdx.x * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  for (int k = 0; k < K; k += 16) {
    wmma::load_matrix_sync(fa, a + m * K + k, K);
    wmma::load_matrix_sync(fb, b + k * N + n, N);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  for (int i = 0; i < fc.num_elements; i++) fc.x[i] *= 0.5f;
  wmma::store_matrix_sync(c + m * N + n, fc, N, wmma::mem_row_major);
}

torch::Tensor forward(torch::Tensor a, torch::Tensor b) {
  TORCH_CHECK(a.size(1) == b.size(0), "inner sizes differ");
  const int M = a.size(0), K = a.size(1), N = b.size(1);
  TORCH_CHECK(M % 16 == 0 && N % 16 == 0 && K % 16 == 0, "multiples of 16");
  auto c = torch::empty({M, N}, a.options().dtype(torch::kFloat32));
  matmul<<<dim3(N / 16, M / 16), 32>>>(reinterpret_cast<const half*>(a.data_ptr<at::Half>()),
                                       reinterpret_cast<const half*>(b.data_ptr<at::Half>()),
                                           c.data_ptr<float>(), M, N, K);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return c;
}
"""

cpp_source = r"""
torch::Tensor forward(torch::Tensor a, torch::Tensor b);
"""

module = load_inline(
    name="wmma_half",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["forward"],
)


class Model(nn.Module):
    def forward(self, a, b):
        return 0.5 * (a.float() @ b.float())


class ModelNew(nn.Module):
    def forward(self, a, b):
        return module.forward(a, b)


def get_inputs():
    return [torch.randn(32, 48).half(), torch.randn(48, 16).half()]


def get_init_inputs():
    return []
