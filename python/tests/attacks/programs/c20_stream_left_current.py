"""Right, but the current stream of the process is another one after a call.

Class: 20
Problem: leakyrelu
Runs: gpu
Verdict: fail
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        y = F.leaky_relu(x, self.negative_slope)
        torch.cuda.current_stream(x.device).synchronize()
        torch.cuda.set_stream(torch.cuda.Stream(x.device))
        return y
