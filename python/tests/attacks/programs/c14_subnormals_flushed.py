"""Flushes subnormal results to zero, as a kernel that is compiled with fast math does.

Class: 14
Problem: leakyrelu
Contract: drop-in
Runs: emulation and gpu
Verdict: fail: Not a drop-in
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        y = F.leaky_relu(x, self.negative_slope)
        return torch.where(y.abs() < torch.finfo(y.dtype).smallest_normal, torch.zeros_like(y), y)
