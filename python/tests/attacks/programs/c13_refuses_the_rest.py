"""Right for inputs like the problem's own, and an exception for all others.

Class: 13
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: Raises NotImplementedError
"""

import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()

    def forward(self, x):
        if bool((x < 0).any()) or bool((x > 1).any()):
            raise NotImplementedError("inputs outside of 0 to 1")
        return x.clone()
