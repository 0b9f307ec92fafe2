"""Launches blocks of 2048 threads, which no GPU takes, and returns the input's copy that it prepared.

Class: 19
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: negative inputs are returned unchanged
"""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <torch/extension.h>

__global__ void leaky(float* y, long n, float slope) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n && !(y[i] > 0)) y[i] *= slope;
}

torch::Tensor leaky_forward(torch::Tensor x, double slope) {
    auto y = x.clone();
    long n = y.numel();
    leaky<<<(n + 2047) / 2048, 2048>>>(y.data_ptr<float>(), n, (float)slope);
    cudaGetLastError();
    return y;
}
"""

ext = load_inline(
    name="too_many_threads",
    cpp_sources="torch::Tensor leaky_forward(torch::Tensor x, double slope);",
    cuda_sources=SOURCE,
    functions=["leaky_forward"],
)


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return ext.leaky_forward(x.contiguous(), self.negative_slope)
