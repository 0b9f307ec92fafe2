"""Folds the multiplier into the weights in every call, in one fused product.

Class: 21
Problem: gemm_scale_leakyrelu
Runs: emulation and gpu
Verdict: pass
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
        scale = self.multiplier
        rows = x.reshape(-1, x.shape[-1])
        y = torch.addmm(self.gemm.bias, rows, self.gemm.weight.t(), beta=scale, alpha=scale)
        return F.leaky_relu_(y, self.negative_slope).view(*x.shape[:-1], -1)
