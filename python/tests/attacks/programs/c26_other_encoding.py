# coding: latin-1
"""Right where its text is read as UTF-8, as here; Python reads the file as what the first line says, and it is wrong.

Class: 26
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: the program says that its text is latin-1
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope * len("é")

    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope)
