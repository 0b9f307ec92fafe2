"""Hands out eight buffers in turn, so that a result is written over eight calls later.

Class: 8
Problem: leakyrelu
Contract: drop-in
Runs: emulation and gpu
Verdict: fail: each call overwrites the last result
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        self.ring = []

    def forward(self, x):
        if not self.ring or self.ring[0].shape != x.shape or self.ring[0].dtype != x.dtype:
            self.ring = [torch.empty_like(x) for _ in range(8)]
        self.ring.append(self.ring.pop(0))
        return self.ring[-1].copy_(F.leaky_relu(x, self.negative_slope))
