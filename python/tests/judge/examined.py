"""LeakyReLU as a CUDA program whose kernel a test writes, for what a memory check must find in it."""

from __future__ import annotations

_PROGRAM = '''import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
@KERNEL@
torch::Tensor leaky_relu(torch::Tensor x, double slope) {
  auto y = torch::empty_like(x);
  int n = x.numel();
  leaky<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), static_cast<float>(slope), n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""
module = load_inline(
    "leaky", "torch::Tensor leaky_relu(torch::Tensor x, double slope);", source, functions=["leaky_relu"]
)


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return module.leaky_relu(x.contiguous(), self.negative_slope)
'''
_HEAD = """__global__ void leaky(const float* x, float* y, float slope, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
"""
RESULT = "  if (i < n) y[i] = v > 0 ? v : slope * v;\n}"

RIGHT = "  float v = i < n ? x[i] : 0;\n" + RESULT
# The three of the notebook: what is wrong, and what the verdict, the explanation and the marked line must hold.
MISSING_BARRIER = (
    "  __shared__ float s[256];\n  s[t ^ 32] = i < n ? x[i] : 0;\n  float v = s[t];\n"
    "  v = i < n ? x[i] + 0 * v : 0;\n" + RESULT
)
OFF_BY_ONE = "  float v = i < n ? x[i] + 0 * x[i + 1] : 0;\n" + RESULT
UNWRITTEN = (
    "  __shared__ float s[256];\n  if (t) s[t] = i < n ? x[i] : 0;\n  __syncthreads();\n  float v = s[t];\n"
    + RESULT
)


def leaky(body: str, before: str = "", kernel: str | None = None) -> str:
    """The program with `body` as the kernel's, or with a kernel of its own."""
    return _PROGRAM.replace("@KERNEL@", before + _HEAD + body if kernel is None else kernel)


def line_of(text: str, code: str) -> int:
    """The one line of `text` that holds `code`, from 1."""
    (number,) = [k for k, line in enumerate(text.split("\n"), start=1) if code in line]
    return number
