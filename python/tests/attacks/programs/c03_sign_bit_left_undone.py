"""Holds the negated result in memory and a note that its sign is still to be flipped: raw readers get wrong signs.

Class: 3
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: Wrong result
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return torch._neg_view(-F.leaky_relu(x, self.negative_slope))
