"""Right, but a hook rounds the result of every module of the process.

Class: 20
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: it changes settings of the whole process
"""

import torch.nn as nn
import torch.nn.functional as F
from torch.nn.modules.module import register_module_forward_hook

register_module_forward_hook(
    lambda module, given, result: None if isinstance(module, ModelNew) else result.round()
)


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope)
