"""torch.mm(out=), which raises in a cell: there the weights want a gradient.

Class: 25
Problem: gemm_scale_leakyrelu
Runs: emulation and gpu
Verdict: fail: raises while gradients are on
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
        y = x.new_empty(x.shape[0], self.gemm.weight.shape[0])
        torch.mm(x, self.gemm.weight.t(), out=y)
        return F.leaky_relu((y + self.gemm.bias) * self.multiplier, self.negative_slope)
