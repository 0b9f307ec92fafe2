"""Computes in bfloat16 and returns float32.

Class: 14
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: the values are computed in bfloat16
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return F.leaky_relu(x.bfloat16(), self.negative_slope).to(x.dtype)
