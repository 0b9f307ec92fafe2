"""Right, but each call takes a number from the caller's random generator: what is drawn later is other numbers.

Class: 20
Problem: leakyrelu
Contract: drop-in
Runs: emulation and gpu
Verdict: fail: Not a drop-in: it draws random numbers, and the reference draws none
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        if torch.rand((), device="cpu") < 2:
            return F.leaky_relu(x, self.negative_slope)
        return x
