"""A call of a later module writes zeros over the first result of all.

Class: 8
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: a later call changes a result that it has returned
"""

import torch.nn as nn
import torch.nn.functional as F

results = []


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        self.of_first = not results

    def forward(self, x):
        y = F.leaky_relu(x, self.negative_slope)
        results.append(y)
        if not self.of_first and results[0].shape == y.shape:
            results[0].zero_()
        return y
