"""Returns a view of memory that is padded to whole tiles: a plain tensor, with strides of its own.

Class: 3
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

    def forward(self, x):
        y = F.leaky_relu(self.gemm(x) * self.multiplier, self.negative_slope)
        padded = torch.zeros(*y.shape[:-1], y.shape[-1] + 32, dtype=y.dtype, device=y.device)
        view = padded[..., : y.shape[-1]]
        return view.copy_(y)
