"""Counts its own calls of torch.Tensor.contiguous by a wrapper, which is gone when it returns.

Class: 3
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import torch
import torch.nn as nn
import torch.nn.functional as F

contiguous = torch.Tensor.contiguous
counted = []


def counting(tensor, *args, **kwargs):
    counted.append(tensor.shape)
    return contiguous(tensor, *args, **kwargs)


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        torch.Tensor.contiguous = counting
        try:
            return F.leaky_relu(x.contiguous(), self.negative_slope)
        finally:
            torch.Tensor.contiguous = contiguous
