"""Right values, and one more behind the end of the output.

Class: 19
Problem: leakyrelu
Runs: emulation
Verdict: fail: Illegal memory access: write
"""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <torch/extension.h>

__global__ void leaky(const float* x, float* y, long n, float slope) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i <= n) {
        float own = i < n ? x[i] : 0.f;
        y[i] = own > 0 ? own : slope * own;
    }
}

torch::Tensor leaky_forward(torch::Tensor x, double slope) {
    auto y = torch::empty_like(x);
    long n = x.numel();
    leaky<<<(n + 256) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n, (float)slope);
    return y;
}
"""

ext = load_inline(
    name="writes_past_the_end",
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
