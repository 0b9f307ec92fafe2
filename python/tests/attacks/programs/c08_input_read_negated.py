"""Right, but the caller's tensor is read with the other sign from then on; its memory is as it was.

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
        x.data = torch._neg_view(x.data)
        return y
