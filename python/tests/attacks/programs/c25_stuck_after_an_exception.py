"""Marks itself as busy during a call, and does not take that back where the call raises.

Class: 25
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: it is wrong after a call that has raised
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        self.busy = False

    def forward(self, x):
        slope, self.busy = 0.0 if self.busy else self.negative_slope, True
        y = F.leaky_relu(x, slope)
        self.busy = False
        return y
