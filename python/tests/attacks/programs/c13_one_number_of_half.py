"""Wrong on one of half's 65,536 numbers, which a thousand draws miss.

Class: 13
Problem: leakyrelu
Contract: drop-in
Runs: emulation and gpu
Verdict: fail: Not a drop-in: wrong on half input
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
        return torch.where(x == 60000.0, 2 * y, y) if x.dtype == torch.float16 else y
