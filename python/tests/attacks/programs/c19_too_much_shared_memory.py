"""Asks for more shared memory than there is: the launch is refused, nobody looks, and the output is what was there.

Class: 19
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: asks for 49408 bytes of dynamic shared memory
On a GPU: Raises AcceleratorError
"""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <torch/extension.h>

__global__ void leaky(const float* x, float* y, long n, float slope) {
    extern __shared__ float tile[];
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? x[i] : 0.f;
    if (i < n) y[i] = tile[threadIdx.x] > 0 ? tile[threadIdx.x] : slope * tile[threadIdx.x];
}

torch::Tensor leaky_forward(torch::Tensor x, double slope) {
    auto y = torch::empty_like(x);
    long n = x.numel();
    leaky<<<(n + 255) / 256, 256, 48 * 1024 + 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n, (float)slope);
    return y;
}
"""

ext = load_inline(
    name="too_much_shared_memory",
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
