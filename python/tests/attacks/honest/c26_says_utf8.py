# -*- coding: utf-8 -*-  # noqa: UP009
"""Says in its first line what everybody takes it for, and holds a character beyond ASCII.

Class: 26
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope * len("é")

    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope)
