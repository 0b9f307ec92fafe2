"""Keeps prepared weights, and prepares them anew when address, version or dtype of a parameter has changed.

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
        self.gemm = nn.Linear(in_features, out_features)
        self.multiplier = multiplier
        self.negative_slope = negative_slope
        self.key = self.prepared = None

    def forward(self, x):
        weight, bias = self.gemm.weight, self.gemm.bias
        key = (weight.data_ptr(), weight._version, bias.data_ptr(), bias._version, weight.dtype)
        if key != self.key:
            self.key, self.prepared = key, (weight * self.multiplier, bias * self.multiplier)
        return F.leaky_relu(F.linear(x, *self.prepared), self.negative_slope)
