"""Registers an operator under a name of its own, and calls it.

Class: 20
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import torch
import torch.nn as nn
import torch.nn.functional as F

library = torch.library.Library("candidate_operators", "DEF")
library.define("leaky(Tensor x, float slope) -> Tensor")
library.impl("leaky", lambda x, slope: F.leaky_relu(x, slope), "CompositeImplicitAutograd")


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return torch.ops.candidate_operators.leaky(x, self.negative_slope)
