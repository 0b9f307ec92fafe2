"""Replaces the clocks of Python's time module.

Class: 9
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: it changes settings of the whole process
"""

import time

import torch.nn as nn
import torch.nn.functional as F

stopped = time.perf_counter()
time.perf_counter = lambda: stopped
time.perf_counter_ns = lambda: int(stopped * 1e9)


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope)
