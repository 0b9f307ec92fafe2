"""After a thousand calls, computes a quarter of the rows on a stream that does not wait for the caller's: that is done
while the clock holds the caller's stream back.

Class: 18
Problem: leakyrelu
Runs: a benchmark on a gpu
Verdict: fail: a timed result is wrong, or no speed that comes from that stream
"""

import torch
import torch.nn as nn
import torch.nn.functional as F

AHEAD = torch.cuda.Stream()


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        rows = x.shape[0] // 4 if self.calls > 1000 and not x.requires_grad else 0
        y = torch.empty_like(x)
        if rows:
            with torch.cuda.stream(AHEAD):
                y[:rows] = F.leaky_relu(x[:rows], self.negative_slope)
        y[rows:] = F.leaky_relu(x[rows:], self.negative_slope)
        torch.cuda.current_stream().wait_stream(AHEAD)
        return y
