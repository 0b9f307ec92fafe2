"""Right, but every call seeds the random generators of the process: all later random numbers repeat.

Class: 20
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: it changes settings of the whole process
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        torch.manual_seed(0)
        return F.leaky_relu(x, self.negative_slope)
