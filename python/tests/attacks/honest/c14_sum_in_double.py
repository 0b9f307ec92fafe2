"""Adds up in double and rounds once: more accurate than PyTorch, and so not equal to it bit for bit.

Class: 14
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
        y = F.linear(x.double(), self.gemm.weight.double(), self.gemm.bias.double()) * self.multiplier
        return F.leaky_relu(y, self.negative_slope).to(x.dtype)
