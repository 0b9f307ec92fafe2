"""Returns a tensor that wants a gradient where gradients are off: `y += 1` raises.

Class: 3
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: ModelNew returns a tensor that requires a gradient though gradients are off
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        y = F.leaky_relu(x, self.negative_slope)
        return y if y.requires_grad else y.requires_grad_()
