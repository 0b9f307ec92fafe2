"""Right at once; a timer of the process writes zeros into the result a moment later.

Class: 2
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail
"""

import signal

import torch.nn as nn
import torch.nn.functional as F

results = []


def overwrite(*_):
    for result in results:
        result.zero_()


signal.signal(signal.SIGALRM, overwrite)


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        result = F.leaky_relu(x, self.negative_slope)
        results[:] = [result]
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        return result
