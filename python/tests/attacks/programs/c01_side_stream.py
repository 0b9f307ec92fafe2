"""Works on a stream of its own, and never lets the caller's stream wait for it.

Class: 1
Problem: leakyrelu
Runs: gpu
Verdict: fail: its work is not finished when the caller's stream is
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        self.stream = torch.cuda.Stream()

    def forward(self, x):
        with torch.cuda.stream(self.stream):
            return F.leaky_relu(x, self.negative_slope)
