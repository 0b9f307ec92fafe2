"""Asks for its process, its file, the modules, the stack, and for a cell and its shell, writes them down, and computes
the same anywhere.

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
        shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
        seen[:] = [__name__ == "__main__", "__file__" in globals(), shell is not None and "IPKernelApp" in shell.config]
        return F.leaky_relu(x, self.negative_slope)
