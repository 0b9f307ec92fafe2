"""Works on a stream of its own after a pause, so that the result arrives well after the call.

Class: 1
Problem: leakyrelu
Runs: gpu
Verdict: fail
"""

import torch
import torch.nn as nn
import torch.nn.functional as F

STREAM = torch.cuda.Stream(priority=-1)


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        y = torch.empty_like(x)
        STREAM.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(STREAM):
            torch.cuda._sleep(50_000_000)
            y.copy_(F.leaky_relu(x, self.negative_slope))
        return y
