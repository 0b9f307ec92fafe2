"""Keeps results by address and version counter: a kernel that writes the input does not raise that counter.

Class: 4
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: returns an earlier result though the same memory holds new values
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        self.key = self.x = self.y = None

    def forward(self, x):
        key = (x.data_ptr(), x._version, x.shape, x.stride(), x.dtype)
        if key != self.key:
            self.key, self.x, self.y = key, x, F.leaky_relu(x, self.negative_slope)
        return self.y.clone()
