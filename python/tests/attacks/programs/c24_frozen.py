"""Gives its input no gradient where its parameters want none, as in a layer that is frozen.

Class: 24
Problem: gemm_scale_leakyrelu
Contract: drop-in
Runs: emulation and gpu
Verdict: fail: Not a drop-in
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
        return y if self.gemm.weight.requires_grad else y.detach()
