"""Keeps results by the address of the input: new values in the same buffer get the old result.

Class: 4
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: returns an earlier result though the same memory holds new values
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        self.kept = {}

    def forward(self, x):
        key = (x.data_ptr(), x.shape, x.stride(), x.dtype)
        if key not in self.kept:
            self.kept = {
                key: (x, F.leaky_relu(x, self.negative_slope))
            }  # x stays, so its address is not reused
        return self.kept[key][1].clone()
