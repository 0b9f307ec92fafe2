"""Keeps its slope in a global variable: the module that was made last decides for all.

Class: 25
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: it is wrong once another ModelNew has been made
"""

import torch.nn as nn
import torch.nn.functional as F

SETTINGS = {}


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        SETTINGS["slope"] = negative_slope

    def forward(self, x):
        return F.leaky_relu(x, SETTINGS["slope"])
