"""A slope of 0.011 instead of 0.01, which a tolerance of 1e-2 lets pass.

Class: 12
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: negative inputs are multiplied by 0.011 instead of 0.01
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()

    def forward(self, x):
        return F.leaky_relu(x, 0.011)
