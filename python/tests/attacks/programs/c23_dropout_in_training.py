"""Drops values at random while the module is in training mode, which it is after construction.

Class: 23
Problem: gemm_scale_leakyrelu
Runs: emulation and gpu
Verdict: fail: Wrong result
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
        y = F.leaky_relu(self.gemm(x) * self.multiplier, self.negative_slope)
        return F.dropout(y, 1e-3, self.training)
