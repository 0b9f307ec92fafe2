"""Each module that is made forgets the results of those before, and writes to none.

Class: 8
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import torch.nn as nn
import torch.nn.functional as F

results = []


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        results.clear()

    def forward(self, x):
        y = F.leaky_relu(x, self.negative_slope)
        results.append(y)
        return y
