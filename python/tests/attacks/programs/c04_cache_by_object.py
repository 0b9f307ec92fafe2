"""Keeps the result beside the input, as an attribute of the tensor object.

Class: 4
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

    def forward(self, x):
        if not hasattr(x, "activated"):
            x.activated = F.leaky_relu(x, self.negative_slope)
        return x.activated.clone()
