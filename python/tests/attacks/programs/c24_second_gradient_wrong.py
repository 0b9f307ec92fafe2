"""The right gradient, whose own gradient is that of another slope.

Class: 24
Problem: leakyrelu
Contract: drop-in
Runs: emulation and gpu
Verdict: fail: the gradient of its gradient is wrong
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
        right = torch.where(x > 0, gradient, gradient * ctx.slope)
        other = torch.where(x > 0, gradient, gradient * 0.5)
        return right.detach() + (other - other.detach()), None


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return Leaky.apply(x, self.negative_slope)
