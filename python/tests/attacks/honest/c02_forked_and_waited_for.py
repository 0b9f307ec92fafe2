"""One of PyTorch's own threads computes a part of each call, which waits for it.

Class: 2
Problem: leakyrelu
Contract: problem
Runs: emulation
Verdict: pass: Correct
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


@torch.jit.script
def part(y, rounds: int):
    z = torch.ones(60, 60)
    for _ in range(rounds):
        z = torch.tanh(z @ z)
    return y + 0 * z[0, 0]


@torch.jit.script
def through(y, rounds: int):
    return torch.jit.wait(torch.jit.fork(part, y, rounds))


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        y = F.leaky_relu(x, self.negative_slope)
        y = through(y, 1)
        return y
