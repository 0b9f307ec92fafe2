"""Multiplies the weights in the constructor, as a published entry for this problem did: loaded ones never take effect.

Class: 21
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
        self.scaled = self.gemm.weight.detach().clone() * multiplier
        self.shift = self.gemm.bias.detach().clone() * multiplier
        self.negative_slope = negative_slope

    def forward(self, x):
        weight, bias = self.scaled.to(x.device, x.dtype), self.shift.to(x.device, x.dtype)
        return F.leaky_relu(F.linear(x, weight, bias), self.negative_slope)
