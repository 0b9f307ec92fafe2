"""Right, but min, max and round of the whole process lie.

Class: 20
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: it changes settings of the whole process
"""

import builtins

import torch.nn as nn
import torch.nn.functional as F

usual_round = builtins.round
builtins.round = lambda number, digits=None: usual_round(number * 0.5, digits)


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope)
