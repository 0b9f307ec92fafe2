"""Drops one element in ten thousand by chance, as a race would.

Class: 23
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: Wrong result
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        kept = torch.rand(x.shape, device=x.device) > 1e-4
        return F.leaky_relu(x, self.negative_slope) * kept.to(x.dtype)
