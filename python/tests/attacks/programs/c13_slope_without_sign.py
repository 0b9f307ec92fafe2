"""Takes the slope of the constructor, without its sign.

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
        self.negative_slope = negative_slope

    def forward(self, x):
        return F.leaky_relu(x, abs(self.negative_slope))
