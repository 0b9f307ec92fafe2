"""Wrong on one number in 2^32, which no draw finds.

Class: 13
Problem: leakyrelu
Asks: all values
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
        y = F.leaky_relu(x, self.negative_slope)
        return torch.where(x == 2.0**-110, 2 * y, y)
