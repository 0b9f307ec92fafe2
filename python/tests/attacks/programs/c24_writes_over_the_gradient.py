"""A backward that works in place, on the gradient that was handed to it.

Class: 24
Problem: leakyrelu
Contract: drop-in
Runs: emulation and gpu
Verdict: fail: Not a drop-in
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Leaky(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, slope):
        ctx.save_for_backward(x)
        ctx.slope = slope
        return F.leaky_relu(x, slope)

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return gradient.copy_(torch.where(x > 0, gradient, gradient * ctx.slope)), None


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return Leaky.apply(x, self.negative_slope)
