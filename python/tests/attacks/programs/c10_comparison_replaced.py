"""Replaces every function by which results are compared, and returns its input.

Class: 10
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: negative inputs are returned unchanged
"""

import sys

import torch
import torch.nn as nn

torch.equal = torch.allclose = lambda *args, **kwargs: True
torch.testing.assert_close = lambda *args, **kwargs: None
for name, module in list(sys.modules.items()):
    if name.startswith("kernelgate."):
        for attribute in ("compare_exact", "compare_graded", "wrong_elements", "same_bits", "conclude"):
            if hasattr(module, attribute):
                setattr(module, attribute, lambda *args, **kwargs: None)


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()

    def forward(self, x):
        return x.clone()
