"""A histogram of bytes: four at a time by SIMD within a word, counted by libcu++'s atomics, in managed memory."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/Atomic.cuh>
#include <ATen/cuda/detail/KernelUtils.h>
#include <c10/cuda/CUDAException.h>
#include <cuda/atomic>
#include <cuda/std/array>

__global__ void k(const unsigned* x, int* bins, float* largest, int words) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> brightest;
  if (threadIdx.x == 0) brightest.store(0, cuda::memory_order_relaxed);
  __syncthreads();
  CUDA_KERNEL_LOOP(i, words) {
    CUDA_KERNEL_ASSERT(i < words);
    const unsigned clamped = __vminu4(__vaddus4(x[i], 0x05050505u), 0xf0f0f0f0u);
    cuda::std::array<unsigned, 4> bytes{};
    for (int b = 0; b < 4; b++) bytes[b] = clamped >> 8 * b & 0xffu;
    for (unsigned byte : bytes) {
      cuda::atomic_ref<int, cuda::thread_scope_device> bin(bins[byte / 16]);
      bin.fetch_add(1, cuda::memory_order_relaxed);
      brightest.fetch_max(int(byte), cuda::memory_order_relaxed);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) gpuAtomicMax(largest, float(brightest.load()));
}

std::vector<torch::Tensor> forward(torch::Tensor x) {
  x = x.contiguous();
  auto counts = torch::empty({16}, x.options().dtype(torch::kInt));
  int* bins;
  C10_CUDA_CHECK(cudaMallocManaged(&bins, 16 * sizeof(int)));
  for (int i = 0; i < 16; i++) bins[i] = 0;
  auto largest = torch::zeros({1}, x.options().dtype(torch::kFloat));
  const int words = x.numel() / 4;
  k<<<at::cuda::detail::GET_BLOCKS(words, 128), 128>>>(reinterpret_cast<const unsigned*>(x.data_ptr<uint8_t>()), bins,
                                                       largest.data_ptr<float>(), words);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  C10_CUDA_CHECK(cudaMemcpy(counts.data_ptr<int>(), bins, 16 * sizeof(int), cudaMemcpyDefault));
  C10_CUDA_CHECK(cudaFree(bins));
  return {counts, largest};
}
"""

cpp_source = r"""
std::vector<torch::Tensor> forward(torch::Tensor x);
"""

module = load_inline(
    name="histogram_atomic_ref",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["forward"],
)


class Model(nn.Module):
    def forward(self, x):
        clamped = (x.int() + 5).clamp(max=240)
        counts = torch.bincount(clamped.flatten() // 16, minlength=16).int()
        return [counts, clamped.amax().float().view(1)]


class ModelNew(nn.Module):
    def forward(self, x):
        return module.forward(x)


def get_inputs():
    return [torch.randint(0, 256, (40, 52), dtype=torch.uint8)]


def get_init_inputs():
    return []
