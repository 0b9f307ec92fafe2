"""Writes its constants under no_grad, keeps them as buffers, and at its end wipes memory that no caller has.

Class: 25
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass: Correct
"""

import json

import torch
import torch.nn as nn
import torch.nn.functional as F


class Numbers(json.JSONEncoder):
    def default(self, value):
        return float(value)


class LeakyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, slope):
        ctx.save_for_backward(x)
        ctx.slope = slope
        return F.leaky_relu(x, slope)

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return torch.where(x > 0, gradient, gradient * ctx.slope), None


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        one = nn.Parameter(torch.zeros(()))
        with torch.no_grad():
            one.add_(1)
        self.register_buffer("one", one.detach(), persistent=False)
        self.negative_slope = negative_slope
        self.workspace = None

    def forward(self, x):
        if not torch.is_grad_enabled():
            self.workspace = x.clone()
        return LeakyReLU.apply(x, self.negative_slope) * self.one.to(x)

    def extra_repr(self):
        return json.dumps(self.negative_slope, cls=Numbers)

    def __del__(self):
        if getattr(self, "workspace", None) is not None:
            self.workspace.zero_()
