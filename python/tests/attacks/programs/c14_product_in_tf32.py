"""The product of inputs cut to TF32, as a tensor core reads them.

Class: 14
Problem: gemm_scale_leakyrelu
Runs: emulation and gpu
Verdict: fail: computed in
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


def tf32(value):
    if value.dtype != torch.float32:
        return value
    return (value.contiguous().view(torch.int32) & ~0x1FFF).view(torch.float32)


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, multiplier, negative_slope):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.multiplier = multiplier
        self.negative_slope = negative_slope

    def forward(self, x):
        y = F.linear(tf32(x), tf32(self.gemm.weight), self.gemm.bias)
        return F.leaky_relu(y * self.multiplier, self.negative_slope)
