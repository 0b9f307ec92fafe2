"""Keeps a constant as a tensor that wants a gradient: so does each result, and y.numpy() raises in a cell.

Class: 25
Problem: leakyrelu
Contract: drop-in
Runs: emulation and gpu
Verdict: fail: its output requires a gradient, and the reference's does not
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        self.one = torch.ones((), requires_grad=True)

    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope) * self.one.to(x)
