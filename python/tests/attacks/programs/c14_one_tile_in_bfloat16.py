"""float32, save for one tile of the result that is computed in BF16.

Class: 14
Problem: gemm_scale_leakyrelu
Runs: emulation and gpu
Verdict: fail: computed in BF16
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

    def forward(self, x):
        y = self.gemm(x)
        tile = self.gemm.weight[-16:].to(torch.bfloat16)
        y[..., -16:] = F.linear(x.to(torch.bfloat16), tile).to(y.dtype) + self.gemm.bias[-16:]
        return F.leaky_relu(y * self.multiplier, self.negative_slope)
