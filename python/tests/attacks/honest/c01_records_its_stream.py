"""Tells PyTorch's allocator which stream uses its input and its result, as a program with streams of its own does.

Class: 1
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

    def forward(self, x):
        result = F.leaky_relu(x, self.negative_slope)
        for tensor in (x, result):
            tensor.record_stream(torch.cuda.current_stream())
        return result
