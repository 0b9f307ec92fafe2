"""Owns the memory of its results and wipes it at its end: ModelNew()(x) holds zeros as soon as it is returned.

Class: 8
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: its results change once the module is gone
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        self.results = []

    def forward(self, x):
        self.results.append(F.leaky_relu(x, self.negative_slope))
        return self.results[-1].view(x.shape)

    def __del__(self):
        for result in self.results:
            result.data.zero_()
