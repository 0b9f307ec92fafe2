"""Right, but it opens autocast and never closes it.

Class: 20
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: it changes settings of the whole process
"""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.autocast("cpu", dtype=torch.bfloat16).__enter__()
torch.autocast("cuda", dtype=torch.bfloat16).__enter__()


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope)
