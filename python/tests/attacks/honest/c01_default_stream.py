"""A kernel launched without a stream: right on the default stream, where the problem's contract calls it.

Class: 1
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
    if (n > 0) leaky<<<(n + 255) / 256, 256>>>(dense.data_ptr<float>(), y.data_ptr<float>(), n, (float)slope);
    return y;
}
"""

ext = load_inline(
    name="on_the_default_stream",
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
