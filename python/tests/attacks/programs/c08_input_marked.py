"""Right, but it hangs its result on the caller's tensor, which keeps the memory alive for as long.

Class: 8
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
        x.result = F.leaky_relu(x, self.negative_slope)
        return x.result.clone()
