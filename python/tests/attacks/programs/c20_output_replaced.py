"""Right, but nothing that a cell prints afterwards is seen.

Class: 20
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: it changes settings of the whole process
"""

import os
import sys
from pathlib import Path

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115
        return F.leaky_relu(x, self.negative_slope)
