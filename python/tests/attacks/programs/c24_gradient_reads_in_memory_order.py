"""Reads its input's memory in order in the backward pass: wrong for a transposed input, right in the forward pass.

Class: 24
Problem: leakyrelu
Contract: drop-in
Runs: emulation and gpu
Verdict: fail: its gradient is wrong
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class _LeakyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, slope):
        ctx.save_for_backward(x)
        ctx.slope = slope
        return F.leaky_relu(x, slope)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        positive = torch.as_strided(x, x.shape, torch.empty(x.shape, device="meta").stride()) > 0
        return torch.where(positive, grad, grad * ctx.slope), None


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return _LeakyReLU.apply(x, self.negative_slope)
