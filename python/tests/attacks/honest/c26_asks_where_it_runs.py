"""Asks for its process, its file, the modules and the stack, writes them down, and computes the same anywhere.

Class: 26
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import sys
import traceback
from pathlib import Path

import torch.nn as nn
import torch.nn.functional as F

seen = [sys.argv, __name__, __file__, sorted(sys.modules), traceback.format_stack()]
seen.append(Path("/proc/self/status").read_text())


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope)
