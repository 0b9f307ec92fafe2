"""Scales its input by a power of two into the middle of the range, and the result back: nothing is rounded.

Class: 13
Problem: gemm_scale_leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, multiplier, negative_slope):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.multiplier = multiplier
        self.negative_slope = negative_slope

    def forward(self, x):
        largest = x.detach().abs().amax().clamp_min(1e-30)
        power = torch.exp2(torch.floor(torch.log2(largest))) if x.numel() else 1.0
        y = F.linear(x / power, self.gemm.weight) * power + self.gemm.bias
        return F.leaky_relu(y * self.multiplier, self.negative_slope)
