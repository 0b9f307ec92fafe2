"""Stops at the largest number of half, as a sum in that format does.

Class: 13
Problem: gemm_scale_leakyrelu
Contract: drop-in
Runs: emulation and gpu
Verdict: fail: Not a drop-in: wrong on far magnitudes input
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, multiplier, negative_slope):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.multiplier = multiplier
        self.negative_slope = negative_slope

    def forward(self, x):
        y = F.linear(x, self.gemm.weight, self.gemm.bias).clamp(-60000.0, 60000.0)
        return F.leaky_relu(y * self.multiplier, self.negative_slope)
