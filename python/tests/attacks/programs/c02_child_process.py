"""A child process computes into shared memory, and the call returns before it.

Class: 2
Problem: leakyrelu
Runs: emulation
Verdict: fail: Wrong result
"""

import os
import time

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        y = torch.empty_like(x).share_memory_()
        if os.fork() == 0:
            time.sleep(0.1)
            y.copy_(F.leaky_relu(x, self.negative_slope))
            os._exit(0)
        return y
