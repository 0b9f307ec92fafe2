"""Uses its own copy of a row as scratch, and never touches the caller's tensor, though it calls methods that end in _.

Class: 8
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        y = x.clone()
        return y.mul_(self.negative_slope).masked_scatter_(x > 0, x[x > 0])
