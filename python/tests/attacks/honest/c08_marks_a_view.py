"""Turns, names and marks views of its own of the input; the caller's tensor stays as it is.

Class: 8
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        own = x.detach().view(-1) if x.is_contiguous() else x.detach().reshape(-1)
        own.seen = True
        own.unsqueeze_(0)
        assert own.seen
        return F.leaky_relu(x, self.negative_slope)
