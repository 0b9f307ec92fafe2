"""Reads memory in its order, whatever the strides of the input say.

Class: 13
Problem: leakyrelu
Contract: drop-in
Runs: emulation and gpu
Verdict: fail: Not a drop-in: wrong on
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        n = min(x.numel(), x.untyped_storage().nbytes() // x.element_size() - x.storage_offset())
        flat = x.as_strided((n,), (1,), x.storage_offset())
        y = F.leaky_relu(flat, self.negative_slope)
        return y.repeat(max(1, -(-x.numel() // max(n, 1))))[: x.numel()].view(x.shape)
