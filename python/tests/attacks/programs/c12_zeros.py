"""Returns zeros, which a loose tolerance takes for small numbers.

Class: 12
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: Wrong result
"""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()

    def forward(self, x):
        return torch.zeros_like(x)
