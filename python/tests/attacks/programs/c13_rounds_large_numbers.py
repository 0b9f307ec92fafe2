"""Exact up to ten thousand, and rounded to half from there on, where no usual draw leads.

Class: 13
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: Wrong result: the values are computed in float16
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        y = F.leaky_relu(x, self.negative_slope)
        return torch.where((x.abs() > 1e4) & (x.abs() < 1e30), y.half().to(x.dtype), y)
