"""The larger of x and slope * x, which is a leaky ReLU only for a slope below 1.

Class: 13
Problem: leakyrelu
Contract: drop-in
Runs: emulation and gpu
Verdict: fail: it is wrong with other arguments of its constructor
"""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return torch.maximum(x, x * self.negative_slope)
