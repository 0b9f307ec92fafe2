"""Tries another way of splitting the rows at each of its first calls, and stays with one; all of them are right.

Class: 5
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import time

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        self.seconds = {}

    def forward(self, x):
        untried = [parts for parts in (1, 2, 4) if parts not in self.seconds]
        parts = untried[0] if untried else min(self.seconds, key=self.seconds.get)
        if x.dim() < 2 or not x.numel():
            return F.leaky_relu(x, self.negative_slope)
        started = time.perf_counter()
        y = torch.empty_like(x)
        for given, result in zip(x.chunk(parts), y.chunk(parts), strict=True):
            result.copy_(F.leaky_relu(given, self.negative_slope))
        self.seconds.setdefault(parts, time.perf_counter() - started)
        return y
