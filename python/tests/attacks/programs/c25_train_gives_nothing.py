"""Has a train() of its own that returns nothing, so that model = ModelNew().eval() is None.

Class: 25
Problem: leakyrelu
Contract: drop-in
Runs: emulation and gpu
Verdict: fail: Not a drop-in: cannot be switched to one of the modes train and eval
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope)

    def train(self, mode=True):
        self.training = mode
