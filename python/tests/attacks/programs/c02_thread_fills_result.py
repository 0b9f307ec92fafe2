"""Returns memory at once, and a timer thread writes the result into it a moment later.

Class: 2
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: nothing is written to the output
"""

import threading

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        y = torch.empty_like(x)
        threading.Timer(0.2, lambda: y.copy_(F.leaky_relu(x, self.negative_slope))).start()
        return y
