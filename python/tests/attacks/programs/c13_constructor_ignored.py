"""The slope of the problem as a constant: the constructor's argument is accepted and not used.

Class: 13
Problem: leakyrelu
Contract: drop-in
Runs: emulation and gpu
Verdict: fail: it is wrong with other arguments of its constructor
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()

    def forward(self, x):
        return F.leaky_relu(x, 0.01)
