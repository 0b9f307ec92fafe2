"""Returns a Parameter: a module that keeps the result takes it for one of its own weights.

Class: 3
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: ModelNew returns a Parameter that is none of its own
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        y = F.leaky_relu(x, self.negative_slope)
        return y if y.requires_grad else nn.Parameter(y, requires_grad=False)
