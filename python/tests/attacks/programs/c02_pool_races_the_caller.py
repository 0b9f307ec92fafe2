"""Hands half of the work to a pool of threads that outlives the call, and is nearly always as fast as its caller.

Class: 2
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: Wrong result
Wavers: a thread that ends before the result is copied leaves no trace
"""

from concurrent.futures import ThreadPoolExecutor

import torch
import torch.nn as nn
import torch.nn.functional as F

POOL = ThreadPoolExecutor(1)


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        y = torch.empty_like(x)
        half = y.shape[0] // 2 if y.dim() else 0
        POOL.submit(lambda: y[half:].copy_(F.leaky_relu(x[half:], self.negative_slope)))
        y[:half] = F.leaky_relu(x[:half], self.negative_slope)
        return y
