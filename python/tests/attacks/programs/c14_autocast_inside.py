"""Opens autocast around the product and returns float32.

Class: 14
Problem: gemm_scale_leakyrelu
Runs: gpu
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
        with torch.autocast("cuda", dtype=torch.bfloat16):
            y = self.gemm(x)
        return F.leaky_relu(y.to(x.dtype) * self.multiplier, self.negative_slope)
