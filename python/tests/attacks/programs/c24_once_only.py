"""Frees what it has kept for the gradient in the backward pass: a second one gives zeros.

Class: 24
Problem: leakyrelu
Contract: drop-in
Runs: emulation and gpu
Verdict: fail: Not a drop-in: its gradient is wrong
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Leaky(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, slope):
        ctx.factor = torch.where(x > 0, 1.0, slope).to(x.dtype)
        return F.leaky_relu(x, slope)

    @staticmethod
    def backward(ctx, gradient):
        gradient = gradient * ctx.factor
        ctx.factor.zero_()
        return gradient, None


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return Leaky.apply(x, self.negative_slope)
