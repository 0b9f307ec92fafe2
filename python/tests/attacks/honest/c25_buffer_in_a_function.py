"""torch.mm(out=) inside of an autograd.Function, where nothing is recorded; the backward pass is its own.

Class: 25
Problem: gemm_scale_leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        y = x.new_empty(x.shape[0], weight.shape[0])
        torch.addmm(bias, x, weight.t(), out=y)
        return y

    @staticmethod
    def backward(ctx, gradient):
        x, weight = ctx.saved_tensors
        return gradient @ weight, gradient.t() @ x, gradient.sum(0)


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, multiplier, negative_slope):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.multiplier = multiplier
        self.negative_slope = negative_slope

    def forward(self, x):
        y = Product.apply(x, self.gemm.weight, self.gemm.bias)
        return F.leaky_relu(y * self.multiplier, self.negative_slope)
