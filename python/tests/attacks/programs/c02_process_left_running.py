"""Right, but every call leaves a process behind.

Class: 2
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: its work is not finished when the caller's stream is
"""

import subprocess

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        subprocess.Popen(["sleep", "20"])
        return F.leaky_relu(x, self.negative_slope)
