"""Right, but every other call leaves a thread that works on for a while.

Class: 2
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: its work is not finished when the caller's stream is
"""

import threading
import time

import torch.nn as nn
import torch.nn.functional as F

calls = [0]


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        calls[0] += 1
        if calls[0] % 2:
            threading.Thread(target=time.sleep, args=(0.4,)).start()
        return F.leaky_relu(x, self.negative_slope)
