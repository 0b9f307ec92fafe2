"""Right, but the caller's tensor has other memory after the call, with zeros in it.

Class: 8
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: it changes its input in place
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        y = F.leaky_relu(x, self.negative_slope)
        x.data = torch.zeros_like(x)
        return y
