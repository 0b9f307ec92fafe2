"""Imports an extension that is not installed, and does without it.

Class: 15
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import torch.nn as nn
import torch.nn.functional as F

try:
    import leaky_kernels_of_my_own as kernels
except ImportError:
    kernels = None


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        if kernels is not None:
            return kernels.leaky_relu(x, self.negative_slope)
        return F.leaky_relu(x, self.negative_slope)
