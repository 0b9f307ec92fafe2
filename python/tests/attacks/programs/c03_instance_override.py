"""A plain tensor whose instance carries methods of its own: whoever copies it by them gets values that are not there.

Class: 3
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: a tensor with attributes of its own
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        y = torch.empty_like(x)

        def compute(*args, **kwargs):
            return F.leaky_relu(x, self.negative_slope)

        for method in ("detach", "contiguous", "cpu", "clone", "to", "numpy", "float", "tolist"):
            setattr(y, method, compute)
        return y
