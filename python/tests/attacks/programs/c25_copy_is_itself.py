"""Gives itself where it is to be copied: an average of weights changes the model that is trained.

Class: 25
Problem: gemm_scale_leakyrelu
Contract: drop-in
Runs: emulation and gpu
Verdict: fail: Not a drop-in: a copy of it gives a wrong result
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, multiplier, negative_slope):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.multiplier = multiplier
        self.negative_slope = negative_slope

    def __deepcopy__(self, memo):
        return self

    def forward(self, x):
        return F.leaky_relu(self.gemm(x) * self.multiplier, self.negative_slope)
