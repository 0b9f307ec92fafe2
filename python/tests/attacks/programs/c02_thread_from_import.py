"""A daemon thread from the import on, waiting for work: it was there before any call, so counting finds nothing new.

Class: 2
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail
"""

import queue
import threading
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

WORK = queue.Queue()


def serve():
    while True:
        x, y, slope = WORK.get()
        time.sleep(0.02)
        y.copy_(F.leaky_relu(x, slope))


threading.Thread(target=serve, daemon=True).start()


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        y = torch.empty_like(x)
        WORK.put((x, y, self.negative_slope))
        return y
