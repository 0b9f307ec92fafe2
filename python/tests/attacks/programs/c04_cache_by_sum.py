"""Keeps the result by sums, norm and maximum of the input: the same values at other places get the old result.

Class: 4
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: returns an earlier result for another input that resembles it
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        self.key = self.y = None

    def forward(self, x):
        v = x.double().nan_to_num()
        key = (
            x.shape,
            x.dtype,
            *(float(one) for one in (v.sum(), v.abs().sum(), v.norm(), v.min() if v.numel() else 0)),
        )
        if key != self.key:
            self.key, self.y = key, F.leaky_relu(x, self.negative_slope)
        return self.y.clone()
