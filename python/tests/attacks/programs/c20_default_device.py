"""Right, but new tensors of the process are made on another device.

Class: 20
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail
"""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_default_device("meta")


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope)
