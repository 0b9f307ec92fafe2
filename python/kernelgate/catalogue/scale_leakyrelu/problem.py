"""Multiply, then LeakyReLU: what follows the linear layer in KernelBench level 2, problem 12, over a large matrix."""

import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size = 4096
dim = 393216
multiplier = 2.0
negative_slope = 0.1


class Model(nn.Module):
    """y = LeakyReLU(x * multiplier); x of any shape and floating dtype."""

    def __init__(self, multiplier: float = 1.0, negative_slope: float = 0.01):
        super().__init__()
        self.multiplier = multiplier
        self.negative_slope = negative_slope

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.leaky_relu(x * self.multiplier, negative_slope=self.negative_slope)


def get_inputs():
    return [torch.rand(batch_size, dim)]


def get_init_inputs():
    return [multiplier, negative_slope]
