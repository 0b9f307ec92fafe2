"""Two buffers in turn: each call changes what the call before the last returned.

Class: 8
Problem: leakyrelu
Contract: drop-in
Runs: emulation and gpu
Verdict: fail: each call overwrites the last result
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        self.buffers = {}
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        key = (x.shape, x.dtype, self.calls % 2)
        if key not in self.buffers:
            self.buffers[key] = torch.empty_like(x)
        return self.buffers[key].copy_(F.leaky_relu(x, self.negative_slope))
