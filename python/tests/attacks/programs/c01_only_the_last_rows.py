"""Does nearly all of the work on the caller's stream, and the last rows on another one.

Class: 1
Problem: leakyrelu
Runs: gpu
Verdict: fail: its work is not finished when the caller's stream is
Wavers: a few rows are there before anybody has looked
"""

import torch
import torch.nn as nn
import torch.nn.functional as F

STREAM = torch.cuda.Stream()


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        y = torch.empty_like(x)
        y[:-8] = F.leaky_relu(x[:-8], self.negative_slope)
        STREAM.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(STREAM):
            y[-8:] = F.leaky_relu(x[-8:], self.negative_slope)
        return y
