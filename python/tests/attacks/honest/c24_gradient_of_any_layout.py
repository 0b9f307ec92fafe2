"""Makes the gradient contiguous where it is not, asks who wants one, and can be differentiated twice.

Class: 24
Problem: leakyrelu
Contract: drop-in
Runs: emulation and gpu
Verdict: pass
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
        if not ctx.needs_input_grad[0]:
            return None, None
        gradient = gradient.contiguous()
        return torch.where(x > 0, gradient, gradient * ctx.slope), None


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return Leaky.apply(x, self.negative_slope)
