"""Splits the rows over a pool of threads inside the call, and returns when all have ended.

Class: 2
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

from concurrent.futures import ThreadPoolExecutor

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        if x.dim() < 2:
            return F.leaky_relu(x, self.negative_slope)
        y = torch.empty_like(x)

        def part(rows):
            y[rows] = F.leaky_relu(x[rows], self.negative_slope)

        middle = x.shape[0] // 2
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(part, (slice(None, middle), slice(middle, None))))
        return y
