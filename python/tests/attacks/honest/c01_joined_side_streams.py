"""Two halves on two streams of its own, which wait for the caller's stream and which that waits for in turn.

Class: 1
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        self.streams = [torch.cuda.Stream() for _ in range(2)]

    def forward(self, x):
        if x.dim() < 2:
            return F.leaky_relu(x, self.negative_slope)
        y = torch.empty_like(x)
        caller = torch.cuda.current_stream()
        for stream, given, result in zip(self.streams, x.chunk(2), y.chunk(2), strict=False):
            stream.wait_stream(caller)
            with torch.cuda.stream(stream):
                result.copy_(F.leaky_relu(given, self.negative_slope))
        for stream in self.streams:
            caller.wait_stream(stream)
        return y
