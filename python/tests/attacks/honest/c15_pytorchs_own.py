"""Calls PyTorch's own operator: right, and the verdict says beside it that no CUDA kernel of the program does the work.

Class: 15
Problem: leakyrelu
Contract: drop-in
Runs: emulation and gpu
Verdict: pass
"""

import torch
import torch.nn as nn


class ModelNew(nn.LeakyReLU):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.leaky_relu(x, self.negative_slope)
