"""Looks at the first element, and takes the rest to be of the same sign.

Class: 13
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: Wrong result
"""

import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        if x.numel() == 0 or x.reshape(-1)[0] >= 0:
            return x.clone()
        return x * self.negative_slope
