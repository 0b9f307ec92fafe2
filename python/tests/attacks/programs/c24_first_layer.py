"""Right where the input wants a gradient, and without one for the weights where it does not, as in a first layer.

Class: 24
Problem: gemm_scale_leakyrelu
Contract: drop-in
Runs: emulation and gpu
Verdict: fail: has no gradient
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
        weight, bias = self.gemm.weight, self.gemm.bias
        if not x.requires_grad:
            weight, bias = weight.detach(), bias.detach()
        return F.leaky_relu(F.linear(x, weight, bias) * self.multiplier, self.negative_slope)
