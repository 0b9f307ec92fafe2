"""Writes into its weights in the constructor without torch.no_grad(), which raises in a cell.

Class: 25
Problem: gemm_scale_leakyrelu
Runs: emulation and gpu
Verdict: fail: Does not run: RuntimeError while constructing ModelNew
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, multiplier, negative_slope):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.gemm.weight.clamp_(-1, 1)
        self.multiplier, self.negative_slope = multiplier, negative_slope

    def forward(self, x):
        return F.leaky_relu(self.gemm(x) * self.multiplier, self.negative_slope)
