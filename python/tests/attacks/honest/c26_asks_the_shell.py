"""Has the shell of a notebook load an extension where there is one.

Class: 26
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import sys

import torch.nn as nn
import torch.nn.functional as F

if "IPython" in sys.modules and (shell := sys.modules["IPython"].get_ipython()) is not None:
    shell.run_line_magic("matplotlib", "inline")

class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope)
