"""Is right, and its state_dict holds zeros: a checkpoint of it is worth nothing.

Class: 22
Problem: gemm_scale_leakyrelu
Runs: emulation and gpu
Verdict: fail: it changes its own parameters
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
        return F.leaky_relu(self.gemm(x) * self.multiplier, self.negative_slope)

    def state_dict(self, *args, **kwargs):
        return {name: torch.zeros_like(value) for name, value in super().state_dict(*args, **kwargs).items()}
