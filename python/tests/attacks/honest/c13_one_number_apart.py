"""Treats one number apart from the others, and gives for it what they all get.

Class: 13
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass
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
        return torch.where(x == 2.0**-110, x, y)
