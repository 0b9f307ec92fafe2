"""Right under torch.no_grad(), and computed in bfloat16 where PyTorch records, to save memory.

Class: 25
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: it is wrong while gradients are on
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        if torch.is_grad_enabled():
            x = x.bfloat16().to(x.dtype)
        return F.leaky_relu(x, self.negative_slope)
