"""Right when it returns, but it goes on using each result as scratch six calls later.

Class: 8
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: a later call changes a result that it has returned
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        self.results = []

    def forward(self, x):
        y = F.leaky_relu(x, self.negative_slope)
        self.results.append(y.detach())
        if len(self.results) > 6:
            self.results.pop(0).zero_()
        return y
