"""Asks a tool of the system what machine this is, at import, and waits for the answer.

Class: 2
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import subprocess

import torch.nn as nn
import torch.nn.functional as F

machine = subprocess.run(["uname", "-m"], capture_output=True, text=True, check=True).stdout.strip()


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        self.block_size = 256 if machine == "x86_64" else 128

    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope)
