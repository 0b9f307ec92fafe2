"""Collects two calls and then does the work of both: the first caller holds memory that is still empty.

Class: 6
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: nothing is written to the output
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        self.queued = []

    def forward(self, x):
        y = torch.empty_like(x)
        self.queued.append((x, y))
        if len(self.queued) == 2:
            for given, result in self.queued:
                result.copy_(F.leaky_relu(given, self.negative_slope))
            self.queued.clear()
        return y
