"""Right, but the function F.silu stays in its place and has other code.

Class: 20
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: it changes settings of the whole process
"""

import torch.nn as nn
import torch.nn.functional as F


def same(x, inplace=False):
    return x


F.silu.__code__ = same.__code__


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope)
