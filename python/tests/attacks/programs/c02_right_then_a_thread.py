"""Right at once, but a thread of every call goes on and writes the result again half a second later.

Class: 2
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: its work is not finished when the caller's stream is
"""

import threading
import time

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        y = F.leaky_relu(x, self.negative_slope)
        right = y.clone()

        def later():
            time.sleep(0.5)
            y.copy_(right)

        threading.Thread(target=later, daemon=True).start()
        return y
