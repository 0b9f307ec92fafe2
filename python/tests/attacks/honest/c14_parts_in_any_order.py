"""Adds up parts of the sum in an order that chance decides, as atomic additions do: other last bits every time.

Class: 14
Problem: gemm_scale_leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import random

import torch
import torch.nn as nn
import torch.nn.functional as F

order = random.Random()


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, multiplier, negative_slope):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.multiplier = multiplier
        self.negative_slope = negative_slope

    def forward(self, x):
        parts = list(zip(x.chunk(8, dim=-1), self.gemm.weight.chunk(8, dim=1), strict=True))
        order.shuffle(parts)
        y = torch.zeros(*x.shape[:-1], self.gemm.out_features, dtype=x.dtype, device=x.device)
        for given, weight in parts:
            y += F.linear(given, weight)
        return F.leaky_relu((y + self.gemm.bias) * self.multiplier, self.negative_slope)
