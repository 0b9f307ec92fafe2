"""Limits its own call by a timer and a signal handler, and puts both back before it returns.

Class: 20
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import signal

import torch.nn as nn
import torch.nn.functional as F


def too_long(*_):
    raise TimeoutError("the call takes too long")


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        before = signal.signal(signal.SIGALRM, too_long)
        signal.setitimer(signal.ITIMER_REAL, 60)
        try:
            return F.leaky_relu(x, self.negative_slope)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
