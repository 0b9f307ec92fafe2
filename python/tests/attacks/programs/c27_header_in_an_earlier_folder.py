"""Builds with a right header, puts a wrong one of its name into an earlier folder, and builds the same text again.

Class: 27
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: negative inputs are multiplied by 0.02 instead of 0.01
"""

import tempfile
from pathlib import Path

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

first, second = (Path(tempfile.mkdtemp()) for _ in range(2))
SOURCE = """
#include "outer.cuh"

__global__ void leaky(const float* x, float* y, long n, float slope) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] > 0 ? x[i] : TIMES * slope * x[i];
}

torch::Tensor leaky_forward(torch::Tensor x, double slope) {
    auto y = torch::empty_like(x);
    long n = x.numel();
    leaky<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n, (float)slope);
    return y;
}
"""


def built(name):  # with the same name, PyTorch does not build the same text again in a process
    return load_inline(
        name=name,
        cpp_sources="torch::Tensor leaky_forward(torch::Tensor x, double slope);",
        cuda_sources=SOURCE,
        functions=["leaky_forward"],
        extra_include_paths=[str(first), str(second)],
    )


(second / "outer.cuh").write_text("#include <inner.cuh>\n")
(second / "inner.cuh").write_text("#define TIMES 1\n")
ext = built("first")
(first / "inner.cuh").write_text("#define TIMES 2\n")
ext = built("second")


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return ext.leaky_forward(x.contiguous(), self.negative_slope)
