"""Replaces PyTorch's leaky_relu by the identity, so that a reference in the same process is wrong with it.

Class: 20
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: negative inputs are returned unchanged
"""

import torch.nn as nn
import torch.nn.functional as F

F.leaky_relu = lambda x, negative_slope=0.01, inplace=False: x.clone()


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope)
