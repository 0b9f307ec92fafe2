"""Right in training mode, in which a fresh module is, and wrong after model.eval().

Class: 23
Problem: leakyrelu
Contract: drop-in
Runs: emulation and gpu
Verdict: fail: it is wrong in one of the modes train and eval
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope if self.training else 0.0)
