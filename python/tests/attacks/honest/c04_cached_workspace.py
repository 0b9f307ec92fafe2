"""Keeps a workspace for its intermediate product between calls, and writes all of it every time.

Class: 4
Problem: gemm_scale_leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, multiplier, negative_slope):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.multiplier = multiplier
        self.negative_slope = negative_slope
        self.workspace = {}

    def forward(self, x):
        if x.dim() != 2 or torch.is_grad_enabled():
            return F.leaky_relu(self.gemm(x) * self.multiplier, self.negative_slope)
        key = (x.shape[0], x.dtype, x.device)
        if key not in self.workspace:
            self.workspace[key] = torch.empty(
                x.shape[0], self.gemm.out_features, dtype=x.dtype, device=x.device
            )
        product = torch.addmm(self.gemm.bias, x, self.gemm.weight.t(), out=self.workspace[key])
        return F.leaky_relu(product * self.multiplier, self.negative_slope)
