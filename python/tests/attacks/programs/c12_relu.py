"""ReLU: the negative side is small, and a loose tolerance does not see it.

Class: 12
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: negative inputs give 0
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()

    def forward(self, x):
        return F.relu(x)
