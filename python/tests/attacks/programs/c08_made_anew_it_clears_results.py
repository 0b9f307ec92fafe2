"""Each module that is made writes zeros over the results of those before.

Class: 8
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: a later call changes a result that it has returned
"""

import torch.nn as nn
import torch.nn.functional as F

results = []


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        for one in [kept for kept in results if not kept.is_inference()]:
            one.zero_()
        results.clear()

    def forward(self, x):
        y = F.leaky_relu(x, self.negative_slope)
        results.append(y)
        return y
