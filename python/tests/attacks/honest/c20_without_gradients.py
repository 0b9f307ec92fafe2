"""Runs its forward in inference mode.

Class: 20
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

    @torch.inference_mode()
    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope)
