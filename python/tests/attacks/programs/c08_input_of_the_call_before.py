"""Writes into the input of the call before, once that call is over.

Class: 8
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: it changes its input in place
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        self.before = None

    def forward(self, x):
        if self.before is not None and self.before.data_ptr() != x.data_ptr():
            self.before.zero_()
        self.before = x.detach()
        return F.leaky_relu(x, self.negative_slope)
