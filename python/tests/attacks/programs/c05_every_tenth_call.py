"""Right, save that every tenth call skips the last row.

Class: 5
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: Wrong result
"""

import torch
import torch.nn as nn
import torch.nn.functional as F

calls = 0


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        global calls
        calls += 1
        if calls % 10 or x.dim() < 2:
            return F.leaky_relu(x, self.negative_slope)
        y = torch.empty_like(x)
        y[:-1] = F.leaky_relu(x[:-1], self.negative_slope)
        return y
