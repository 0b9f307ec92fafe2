"""Records events and synchronizes within its call: slow, and right.

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
        done = torch.cuda.Event()
        y = F.leaky_relu(x, self.negative_slope)
        done.record()
        done.synchronize()
        torch.cuda.synchronize()
        return y
