"""The product as three products of TF32 parts: nearly the accuracy of float32, at the speed of tensor cores.

Class: 14
Problem: gemm_scale_leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


def parts(value):
    """A value as the sum of two that each have the 10 bits of TF32's significand."""
    high = (value.contiguous().view(torch.int32) & ~0x1FFF).view(torch.float32)
    low = ((value - high).view(torch.int32) & ~0x1FFF).view(torch.float32)
    return high, low


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, multiplier, negative_slope):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.multiplier = multiplier
        self.negative_slope = negative_slope

    def forward(self, x):
        if x.dtype != torch.float32 or not bool(x.isfinite().all()):
            return F.leaky_relu(self.gemm(x) * self.multiplier, self.negative_slope)
        high, low = parts(x)
        weight_high, weight_low = parts(self.gemm.weight)
        small = F.linear(low, weight_high) + F.linear(high, weight_low)
        y = F.linear(high, weight_high) + small + self.gemm.bias
        return F.leaky_relu(y * self.multiplier, self.negative_slope)
