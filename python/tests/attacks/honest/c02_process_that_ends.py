"""Forks a process in its first call, asks it something, and waits until it has ended.

Class: 2
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import os

import torch.nn as nn
import torch.nn.functional as F

asked = []


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        if not asked:
            read, write = os.pipe()
            child = os.fork()
            if child == 0:
                os.write(write, b"tile of 128")
                os._exit(0)
            os.close(write)
            asked.append(os.read(read, 64))
            os.close(read)
            os.waitpid(child, 0)
        return F.leaky_relu(x, self.negative_slope)
