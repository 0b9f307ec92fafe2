"""x - 0.99 x instead of 0.01 x: one rounding more than PyTorch makes.

Class: 14
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: instead of 0.01, as by more roundings
"""

import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return x.where(x > 0, x - x * (1 - self.negative_slope))
