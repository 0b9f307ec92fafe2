"""Right for the first three calls, then it returns its input.

Class: 5
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: negative inputs are returned unchanged
"""

import torch.nn as nn
import torch.nn.functional as F

calls = 0


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        global calls
        calls += 1
        return F.leaky_relu(x, self.negative_slope) if calls <= 3 else x.clone()
