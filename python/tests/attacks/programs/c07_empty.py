"""Returns fresh memory, in the hope that it still holds a right result.

Class: 7
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: nothing is written to the output
"""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()

    def forward(self, x):
        return torch.empty_like(x)
