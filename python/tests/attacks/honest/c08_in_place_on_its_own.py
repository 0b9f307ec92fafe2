"""Works in place on memory of its own: a copy of the input, and its own product.

Class: 8
Problem: gemm_scale_leakyrelu
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
        return F.leaky_relu_(self.gemm(x.clone()).mul_(self.multiplier), self.negative_slope)
