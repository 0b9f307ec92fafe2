"""Takes its weights out of the parameters at the first call: what `to` or a checkpoint puts in their place is not seen.

Class: 21
Problem: gemm_scale_leakyrelu
Runs: emulation and gpu
Verdict: fail: it goes on with old parameters after they have changed
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, multiplier, negative_slope):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.multiplier = multiplier
        self.negative_slope = negative_slope
        self.weights = None

    def forward(self, x):
        if self.weights is None or self.weights[0].dtype != self.gemm.weight.dtype:
            self.weights = self.gemm.weight.detach(), self.gemm.bias.detach()
        if x.requires_grad or self.gemm.weight.grad is not None:
            self.weights = self.gemm.weight, self.gemm.bias
        return F.leaky_relu(F.linear(x, *self.weights) * self.multiplier, self.negative_slope)
