"""Leaves the slope out where a matrix has more rows than columns.

Class: 13
Problem: leakyrelu
Contract: drop-in
Runs: emulation and gpu
Verdict: fail: Not a drop-in: wrong on one column
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        tall = x.dim() == 2 and x.shape[0] > x.shape[1]
        return F.leaky_relu(x, 0.0 if tall else self.negative_slope)
