"""Picks an order of parts with a generator of Python's that is its own.

Class: 20
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import random

import torch
import torch.nn as nn
import torch.nn.functional as F

order = random.Random(7)


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        result = torch.empty_like(x)
        halves = list(zip(result.split(1 + len(x) // 2), x.split(1 + len(x) // 2), strict=True))
        order.shuffle(halves)
        for to, part in halves:
            to.copy_(F.leaky_relu(part, self.negative_slope))
        return result
