"""Works in place on memory that other threads read: which value they see depends on who comes first.

Class: 19
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: Wrong result
"""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <torch/extension.h>

// Every thread writes its neighbour's element into y, and takes its own from there.
__global__ void leaky(const float* x, float* y, long n, float slope) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    long next = i + 1 < n ? i + 1 : 0;
    if (i < n) {
        y[next] = x[next];
        float own = y[i];
        y[i] = own > 0 ? own : slope * own;
    }
}

torch::Tensor leaky_forward(torch::Tensor x, double slope) {
    auto y = torch::empty_like(x);
    long n = x.numel();
    if (n > 0) leaky<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n, (float)slope);
    return y;
}
"""

ext = load_inline(
    name="neighbours_race",
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
