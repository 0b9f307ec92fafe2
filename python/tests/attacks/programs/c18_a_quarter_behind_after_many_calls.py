"""After a thousand calls, computes a quarter of the rows on a stream that nobody waits for: the caller's stream ends
earlier.

Class: 18
Problem: leakyrelu
Runs: a benchmark on a gpu
Verdict: fail: a timed result is wrong, or no speed that comes from that stream
"""

import torch
import torch.nn as nn
import torch.nn.functional as F

BEHIND = torch.cuda.Stream()


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        rows = x.shape[0] // 4 if self.calls > 1000 and not x.requires_grad else 0
        y = torch.empty_like(x)
        y[rows:] = F.leaky_relu(x[rows:], self.negative_slope)
        if rows:
            BEHIND.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(BEHIND):
                y[:rows] = F.leaky_relu(x[:rows], self.negative_slope)
        return y
