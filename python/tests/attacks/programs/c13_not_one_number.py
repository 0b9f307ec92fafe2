"""Returns a copy where the input is one number without dimensions, which is right for one that is not negative.

Class: 13
Problem: leakyrelu
Contract: drop-in
Runs: emulation and gpu
Verdict: fail: wrong on zero-dimensional input
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return x.clone() if x.dim() == 0 else F.leaky_relu(x, self.negative_slope)
