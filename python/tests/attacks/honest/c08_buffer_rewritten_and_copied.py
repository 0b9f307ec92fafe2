"""One buffer for all calls, rewritten every time, of which the caller gets a copy.

Class: 8
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        self.register_buffer("buffer", None, persistent=False)

    def forward(self, x):
        if self.buffer is None or self.buffer.shape != x.shape or self.buffer.dtype != x.dtype:
            self.buffer = torch.empty_like(x)
        return self.buffer.copy_(F.leaky_relu(x, self.negative_slope)).clone()
