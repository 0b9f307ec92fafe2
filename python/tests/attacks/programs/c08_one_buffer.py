"""One buffer for all results: every call changes what the calls before returned.

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
        self.buffer = None

    def forward(self, x):
        if self.buffer is None or self.buffer.shape != x.shape or self.buffer.dtype != x.dtype:
            self.buffer = torch.empty_like(x)
        return self.buffer.copy_(F.leaky_relu(x, self.negative_slope))
