"""Makes a long matrix of a batch of matrices, and a batch of the result.

Class: 13
Problem: gemm_scale_leakyrelu
Contract: drop-in
Runs: emulation and gpu
Verdict: pass
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
        result = F.leaky_relu(self.gemm(rows) * self.multiplier, self.negative_slope)
        return result.view(*x.shape[:-1], result.shape[-1])
