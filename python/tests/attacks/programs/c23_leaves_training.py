"""Right, but a call puts the module into evaluation mode.

Class: 23
Problem: leakyrelu
Contract: drop-in
Runs: emulation and gpu
Verdict: fail: cannot be switched to one of the modes train and eval
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        self.training = False
        return F.leaky_relu(x, self.negative_slope)
