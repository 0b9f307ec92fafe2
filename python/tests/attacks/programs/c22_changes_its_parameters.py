"""Folds the multiplier into its own parameters at a call: the results are right, and a saved checkpoint is not.

Class: 22
Problem: gemm_scale_leakyrelu
Runs: emulation and gpu
Verdict: fail: it changes its own parameters
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
        self.folded = None

    def forward(self, x):
        if self.folded != (self.gemm.weight._version, self.gemm.bias._version):
            with torch.no_grad():
                self.gemm.weight.mul_(self.multiplier)
                self.gemm.bias.mul_(self.multiplier)
            self.folded = (self.gemm.weight._version, self.gemm.bias._version)
        return F.leaky_relu(self.gemm(x), self.negative_slope)
