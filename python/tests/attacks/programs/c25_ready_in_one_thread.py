"""Sets itself up for the thread that imports it, and computes otherwise in every other one.

Class: 25
Problem: leakyrelu
Contract: drop-in
Runs: emulation and gpu
Verdict: fail: Not a drop-in: it is wrong in another thread
"""

import threading

import torch.nn as nn
import torch.nn.functional as F

here = threading.local()
here.ready = True


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope if hasattr(here, "ready") else 0.0)
