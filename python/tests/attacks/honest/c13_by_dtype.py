"""Takes another path for each dtype.

Class: 13
Problem: leakyrelu
Contract: problem
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
        if x.dtype == torch.float32:
            return x.where(x > 0, x * self.negative_slope)
        if x.dtype in (torch.float16, torch.bfloat16):
            return F.leaky_relu(x.float(), self.negative_slope).to(x.dtype)
        return F.leaky_relu(x, self.negative_slope)
