"""Tries a launch that the device refuses, sees the error, and launches again in a way that it takes.

Class: 19
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <torch/extension.h>

__global__ void leaky(const float* x, float* y, long n, float slope) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] > 0 ? x[i] : slope * x[i];
}

torch::Tensor leaky_forward(torch::Tensor x, double slope) {
    auto dense = x.contiguous();
    auto y = torch::empty_like(dense);
    long n = dense.numel();
    for (long threads = 2048; n > 0; threads /= 2) {
        leaky<<<(n + threads - 1) / threads, threads>>>(
            dense.data_ptr<float>(), y.data_ptr<float>(), n, (float)slope);
        if (cudaGetLastError() == cudaSuccess) break;
    }
    return y;
}
"""

ext = load_inline(
    name="checks_every_launch",
    cpp_sources="torch::Tensor leaky_forward(torch::Tensor x, double slope);",
    cuda_sources=SOURCE,
    functions=["leaky_forward"],
)


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return ext.leaky_forward(x, self.negative_slope)
