"""Draws random numbers from a generator of its own, to pick a block size.

Class: 20
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import torch
import torch.nn as nn
import torch.nn.functional as F

chance = torch.Generator().manual_seed(7)


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        size = 1 << int(torch.randint(4, 10, (), generator=chance, device="cpu"))
        parts = [F.leaky_relu(part, self.negative_slope) for part in x.reshape(-1).split(size * 1024)]
        return torch.cat(parts).view(x.shape)
