"""Leaves the slope out where a matrix has a single row.

Class: 13
Problem: leakyrelu
Contract: drop-in
Runs: emulation and gpu
Verdict: fail: Not a drop-in: wrong on one row
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        one_row = x.dim() == 2 and x.shape[0] == 1
        return F.leaky_relu(x, 0.0 if one_row else self.negative_slope)
