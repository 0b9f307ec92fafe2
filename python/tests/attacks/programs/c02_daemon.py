"""Right, but its first call leaves a process that has left its parent and its session.

Class: 2
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: its work is not finished when the caller's stream is
"""

import os
import time

import torch.nn as nn
import torch.nn.functional as F

started = []


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        if not started:
            started.append(True)
            child = os.fork()
            if child == 0:
                os.setsid()
                if os.fork() == 0:
                    time.sleep(20)
                os._exit(0)
            os.waitpid(child, 0)
        return F.leaky_relu(x, self.negative_slope)
