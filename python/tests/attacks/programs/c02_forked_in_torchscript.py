"""At the first call, one of PyTorch's own threads begins to compute for some seconds, and then clears the result.

Class: 2
Problem: leakyrelu
Contract: problem
Runs: emulation
Verdict: fail: Wrong result: a later call changes a result
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


@torch.jit.script
def late(y, rounds: int):
    z = torch.ones(600, 600)
    for _ in range(rounds):
        z = torch.tanh(z @ z)
    y.zero_()
    return y


@torch.jit.script
def start(y, rounds: int):
    return torch.jit.fork(late, y, rounds)


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        self.calls = 0

    def forward(self, x):
        y = F.leaky_relu(x, self.negative_slope)
        self.calls += 1
        if self.calls == 1:
            start(y, 400)
        return y
