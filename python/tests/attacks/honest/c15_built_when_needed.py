"""Builds its extension at the first call, and falls back to PyTorch for what the kernel does not take.

Class: 15
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import functools

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void leaky(const float* x, float* y, long n, float slope) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] > 0 ? x[i] : slope * x[i];
}

torch::Tensor leaky_forward(torch::Tensor x, double slope) {
    auto y = torch::empty_like(x);
    long n = x.numel();
    auto stream = c10::cuda::getCurrentCUDAStream();
    leaky<<<(n + 255) / 256, 256, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(), n, (float)slope);
    return y;
}
"""


@functools.lru_cache(maxsize=1)
def extension():
    return load_inline(
        name="built_when_needed",
        cpp_sources="torch::Tensor leaky_forward(torch::Tensor x, double slope);",
        cuda_sources=SOURCE,
        functions=["leaky_forward"],
    )


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        if x.dtype != torch.float32 or not x.is_contiguous() or not x.numel():
            return F.leaky_relu(x, self.negative_slope)
        return extension().leaky_forward(x, self.negative_slope)
