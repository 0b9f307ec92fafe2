"""Right for a matrix; a batch of matrices becomes a long one, and stays one.

Class: 13
Problem: gemm_scale_leakyrelu
Contract: drop-in
Runs: emulation and gpu
Verdict: fail: Not a drop-in: fails on input of rank 1, input of rank 3
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
        rows = x.reshape(-1, x.shape[-1])
        return F.leaky_relu(self.gemm(rows) * self.multiplier, self.negative_slope)
