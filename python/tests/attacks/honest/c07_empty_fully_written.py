"""Takes fresh memory and writes all of it, from the end to the start.

Class: 7
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass
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
        if x.dim() < 2:
            return y.copy_(F.leaky_relu(x, self.negative_slope))
        for row in reversed(range(0, x.shape[0], 16)):
            y[row : row + 16] = F.leaky_relu(x[row : row + 16], self.negative_slope)
        return y
