"""A subclass that says of itself that it is a plain torch.Tensor.

Class: 3
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: a subclass of torch.Tensor
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Tensor(torch.Tensor):
    __module__ = "torch"

    @property
    def __class__(self):
        return torch.Tensor


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope).as_subclass(Tensor)
