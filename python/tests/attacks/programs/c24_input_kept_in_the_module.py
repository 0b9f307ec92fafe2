"""Keeps its input for the gradient in the module: of two calls, the first has the gradient of the second.

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
    def forward(ctx, x, module):
        ctx.module, module.x = module, x
        return F.leaky_relu(x, module.negative_slope)

    @staticmethod
    def backward(ctx, gradient):
        module = ctx.module
        return gradient.where(module.x > 0, gradient * module.negative_slope), None


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return Leaky.apply(x, self)
