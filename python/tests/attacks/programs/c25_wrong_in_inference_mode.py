"""Leaves the slope out under torch.inference_mode().

Class: 25
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: it is wrong under torch.inference_mode()
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return F.leaky_relu(x, 0.0 if torch.is_inference_mode_enabled() else self.negative_slope)
