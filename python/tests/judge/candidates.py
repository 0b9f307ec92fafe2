"""Candidates for the judge's tests, and running one: real processes, real compiler."""

from __future__ import annotations

from pathlib import Path

from kernelgate.report import Report
from kernelgate.run import Job, new_run_id, run

PROGRAMS = Path(__file__).parents[4] / "shared" / "programs"
"""The eleven real programs, which lie beside the project."""

PROGRAM = """
import torch
import torch.nn as nn
import torch.nn.functional as F

class ModelNew(nn.Module):
    def __init__(self, negative_slope: float = 0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        s = self.negative_slope
{body}
"""


def verify(text: str, **options: object) -> Report:
    """A run of the real judge, in emulation unless `device` says otherwise."""
    options.setdefault("problem", "leakyrelu")
    options.setdefault("device", "emulated")
    job = Job(run=new_run_id(), text=text, label="program.py", **options)  # type: ignore[arg-type]
    return run(job)


def forward(body: str) -> str:
    return PROGRAM.format(body="\n".join(f"        {line}" for line in body.splitlines()))


# What `forward` does, and what the verdict says of it.
KNOWN_WRONG = [
    ("return x", "Wrong result: negative inputs are returned unchanged"),
    (
        "return F.leaky_relu(x, 0.011)",
        "Wrong result: negative inputs are multiplied by 0.011 instead of 0.01",
    ),
    ("return F.relu(x)", "Wrong result: negative inputs give 0"),
    (
        "return F.leaky_relu(x.bfloat16(), s).to(x.dtype)",
        "Wrong result: the values are computed in bfloat16",
    ),
    (
        "y = torch.empty_like(x)\ny.view(-1)[:-1] = F.leaky_relu(x, s).reshape(-1)[:-1]\nreturn y",
        "Wrong result: the last element is never written",
    ),
    ("return F.leaky_relu_(x, s)", "Wrong result: it changes its input in place"),
    ("return None", "Wrong result: ModelNew returns None instead of a tensor on the device"),
    ("return x, x", "Wrong result: ModelNew returns a tuple of 2 instead of a tensor on the device"),
    ("return F.leaky_relu(x, s)[:1]", "Wrong result: the result has shape 1x3072 instead of 64x3072"),
    ("return F.leaky_relu(x, s).half()", "Wrong result: the result is float16 instead of float32"),
]

CUDA_PROGRAM = """
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = r'''
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void leaky(const float* x, float* y, long n, float slope) {{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    {body}
}}

torch::Tensor leaky_forward(torch::Tensor x, double slope) {{
    auto dense = x.contiguous();
    auto y = torch::empty_like(dense);
    long n = dense.numel();
    if (n > 0) {{
        leaky<<<(n + 255) / 256, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(
            dense.data_ptr<float>(), y.data_ptr<float>(), n, (float)slope);
    }}
    return y;
}}
'''

ext = load_inline(name="leaky_test", cpp_sources="torch::Tensor leaky_forward(torch::Tensor x, double slope);",
                  cuda_sources=SOURCE, functions=["leaky_forward"])

class ModelNew(nn.Module):
    def __init__(self, negative_slope: float = 0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return ext.leaky_forward(x, self.negative_slope)
"""


def cuda_program(body: str) -> str:
    """A LeakyReLU for float32 whose kernel does `body`, with x, y, n, i and slope at hand."""
    return CUDA_PROGRAM.format(body=body)


RIGHT_CUDA = "if (i < n) y[i] = x[i] > 0 ? x[i] : slope * x[i];"
