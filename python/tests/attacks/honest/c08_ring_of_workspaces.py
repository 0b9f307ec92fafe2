"""Three workspaces in turn, as a pipeline has them; the caller gets a copy of each.

Class: 8
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass
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
            self.ring = [torch.empty_like(x, requires_grad=False) for _ in range(3)]
        self.ring.append(self.ring.pop(0))
        with torch.no_grad():
            self.ring[-1].copy_(F.leaky_relu(x, self.negative_slope))
        return F.leaky_relu(x, self.negative_slope) if x.requires_grad else self.ring[-1].clone()
