"""The same for the matrix product: its result is kept by the address of the input.

Class: 4
Problem: gemm_scale_leakyrelu
Runs: emulation and gpu
Verdict: fail: returns an earlier result though the same memory holds new values
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, multiplier, negative_slope):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.multiplier = multiplier
        self.negative_slope = negative_slope
        self.key = self.kept = None

    def forward(self, x):
        key = (x.data_ptr(), x.shape, x.stride(), x.dtype, self.gemm.weight._version, self.gemm.bias._version)
        if key != self.key:
            y = F.leaky_relu(self.gemm(x) * self.multiplier, self.negative_slope)
            self.key, self.kept = key, (x, y)
        return self.kept[1].clone()
