"""Names its parameters otherwise and draws them in the reference's order: the same values from the same seed.

Class: 21
Problem: gemm_scale_leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, multiplier, negative_slope):
        super().__init__()
        linear = nn.Linear(in_features, out_features)
        self.w, self.b = linear.weight, linear.bias
        self.multiplier = multiplier
        self.negative_slope = negative_slope

    def forward(self, x):
        return F.leaky_relu(F.linear(x, self.w, self.b) * self.multiplier, self.negative_slope)
