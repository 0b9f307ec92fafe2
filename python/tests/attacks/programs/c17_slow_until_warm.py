"""Takes its time in the first calls, so that whoever plans samples by them takes few, and is quick from then on.

Class: 17
Problem: leakyrelu
Runs: a benchmark on a gpu
Verdict: pass: no speed that comes from few samples
"""

import time

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        if self.calls <= 100:
            time.sleep(0.01)
        return F.leaky_relu(x, self.negative_slope)
