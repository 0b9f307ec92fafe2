"""Right, but each call seeds Python's random generator: a shuffle after it is always the same.

Class: 20
Problem: leakyrelu
Contract: drop-in
Runs: emulation and gpu
Verdict: fail: Not a drop-in: it draws random numbers, and the reference draws none
"""

import random

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        random.seed(0)
        return F.leaky_relu(x, self.negative_slope)
