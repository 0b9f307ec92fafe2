"""Returns the input itself where nothing is negative: right values, but one memory under two names.

Class: 8
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: the output shares memory with the input
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return x if bool((x >= 0).all()) else F.leaky_relu(x, self.negative_slope)
