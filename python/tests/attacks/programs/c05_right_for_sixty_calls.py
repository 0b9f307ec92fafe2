"""Each module is right for sixty calls, which is more than most loops of a check make, and then returns its input.

Class: 5
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: it gives another result when it is called again
On a GPU: Wrong result
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return F.leaky_relu(x, self.negative_slope) if self.calls <= 60 else x.clone()
