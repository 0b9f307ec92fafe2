"""Hands out views of one large buffer, from its start again when it is used up.

Class: 8
Problem: gemm_scale_leakyrelu
Runs: emulation and gpu
Verdict: fail: a later call changes a result that it has returned
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
        self.pool = None
        self.place = 0

    def forward(self, x):
        y = F.leaky_relu(self.gemm(x) * self.multiplier, self.negative_slope)
        if self.pool is None or self.pool.dtype != y.dtype or self.pool.numel() < 3 * y.numel():
            self.pool = torch.empty(3 * y.numel(), dtype=y.dtype, device=y.device)
            self.place = 0
        if self.place + y.numel() > self.pool.numel():
            self.place = 0
        out = self.pool[self.place : self.place + y.numel()].view(y.shape)
        self.place += y.numel()
        return out.copy_(y)
