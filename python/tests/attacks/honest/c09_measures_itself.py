"""Times two ways of its own by events, and goes on with the faster one.

Class: 9
Problem: leakyrelu
Runs: gpu
Verdict: pass
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


def milliseconds(work):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    work()
    end.record()
    end.synchronize()
    return start.elapsed_time(end)


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        self.best = None

    def whole(self, x):
        return F.leaky_relu(x, self.negative_slope)

    def selected(self, x):
        return x.where(x > 0, x * self.negative_slope)

    def forward(self, x):
        if torch.cuda.is_current_stream_capturing():
            return self.whole(x)
        if self.best is None:
            self.best = min((self.whole, self.selected), key=lambda way: milliseconds(lambda: way(x)))
        return self.best(x)
