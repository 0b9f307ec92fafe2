"""Candidates for bench/evaluate.py, no two with the same text: of LeakyReLU, right, wrong, crashing, hanging and not
compiling; and public programs, each with its own problem. Not here: judging."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

TORCH = """import os

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):  # {number}
    def __init__(self, negative_slope: float = 0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        {body}
"""
CUDA = """import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = r'''
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

// {number}
__global__ void leaky(const float* x, float* y, long n, float slope) {{
  long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  {body}
}}

torch::Tensor leaky_forward(torch::Tensor x, double slope) {{
  auto dense = x.contiguous();
  auto y = torch::empty_like(dense);
  long n = dense.numel();
  if (n > 0)
    leaky<<<(n + 255) / 256, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(
        dense.data_ptr<float>(), y.data_ptr<float>(), n, (float)slope);
  return y;
}}
'''
extension = load_inline(
    name="leaky", cpp_sources="torch::Tensor leaky_forward(torch::Tensor x, double slope);",
    cuda_sources=SOURCE, functions=["leaky_forward"],
)


class ModelNew(nn.Module):
    def __init__(self, negative_slope: float = 0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return extension.leaky_forward(x, self.negative_slope)
"""
FIRST = CUDA.format(number=-1, body="if (i < n) y[i] = x[i] > 0 ? x[i] : slope * x[i];")
Kind = tuple[str, str, str]
OF_CUDA: tuple[Kind, ...] = (
    ("right", CUDA, "if (i < n) y[i] = x[i] > 0 ? x[i] : slope * x[i];"),
    ("wrong", CUDA, "if (i < n) y[i] = x[i] > 0 ? x[i] : slope * x[i] * 1.1f;"),
    ("out-of-bounds", CUDA, "if (i < n) y[i + 4096] = x[i];"),
    ("no-compile", CUDA, "if (i < n) y[i] = x[j];"),
    ("no-compile", CUDA, "if (i < n) y[i] = x[i]"),
)
OF_PYTORCH: tuple[Kind, ...] = (
    ("right", TORCH, "return F.leaky_relu(x, self.negative_slope)"),
    ("wrong", TORCH, "return F.relu(x)"),
    ("crash", TORCH, "os.kill(os.getpid(), 11)"),
    ("raises", TORCH, "raise RuntimeError('no')"),
    ("right", TORCH, "return torch.where(x > 0, x, x * self.negative_slope)"),
    ("no-syntax", TORCH, "return F.leaky_relu(x"),
    ("no-syntax", TORCH, "retrun F.leaky_relu(x)"),
    ("no-syntax", TORCH, "return F.leaky_relu(x))"),
    ("no-syntax", TORCH, "y = = x"),
    ("no-syntax", TORCH, "return 'x"),
    ("no-syntax", TORCH, "if x: return x else: return y"),
    ("wrong", TORCH, "return F.leaky_relu(x, self.negative_slope * 1.1)"),
)
HANG: Kind = ("hang", TORCH, "while True: pass")


def write_jobs(folder: Path, count: int, device: str, cuda_share: float, public: Path | None = None) -> Path:
    """A list of jobs. One in twenty hangs, and may take 6 s; of the others `cuda_share` are of CUDA C++. Of `public`, a
    folder as bench/wild_folder.py makes it, three of four jobs are drawn; a run may take 120 s then."""
    lines = [] if public is None else _of_public(public, 3 * count // 4, device)
    count -= len(lines)
    of_cuda = of_pytorch = 0
    for number in range(count):
        if number % 20 == 19:
            kind, form, body = HANG
        elif of_cuda < cuda_share * (number + 1):
            kind, form, body = OF_CUDA[of_cuda % len(OF_CUDA)]
            of_cuda += 1
        else:
            kind, form, body = OF_PYTORCH[of_pytorch % len(OF_PYTORCH)]
            of_pytorch += 1
        options: dict[str, Any] = {"device": device, "shape": "64x96"}
        options |= {"timeout": 6} if kind == "hang" else {}
        text = form.format(number=number, body=body)
        lines.append({"name": f"{number}-{kind}", "candidate": text, "problem": "leakyrelu", "options": options})
    random.Random(0).shuffle(lines)
    path = folder / "jobs.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    return path


def _of_public(public: Path, count: int, device: str) -> list[dict[str, Any]]:
    folders = sorted(path.parent for path in public.glob("*/label"))
    return [
        {
            "name": f"{one.name}-{(one / 'label').read_text(encoding='utf-8').strip()}",
            "candidate": (one / "candidate.py").read_text(encoding="utf-8"),
            "reference": str((one / "problem.py").resolve()),
            "options": {"device": device, "timeout": 120},
        }
        for one in random.Random(0).sample(folders, min(count, len(folders)))
    ]
