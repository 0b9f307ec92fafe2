"""A kernel on the default stream, whatever stream the caller works on.

Class: 25
Problem: leakyrelu
Contract: drop-in
Runs: gpu
Verdict: fail: Not a drop-in
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        with torch.cuda.stream(torch.cuda.default_stream()):
            return F.leaky_relu(x, self.negative_slope)
