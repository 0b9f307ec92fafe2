"""The product of inputs that are rounded to FP16, added up in float32.

Class: 14
Problem: gemm_scale_leakyrelu
Runs: emulation and gpu
Verdict: fail: computed in TF32 or FP16
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
        y = F.linear(x.half().to(x.dtype), self.gemm.weight.half().to(x.dtype), self.gemm.bias)
        return F.leaky_relu(y * self.multiplier, self.negative_slope)
