"""LeakyReLU over a large matrix: KernelBench level 1, problem 20, at its present size."""

import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size = 4096
dim = 393216


class Model(nn.Module):
    """y = x where x > 0, negative_slope * x elsewhere; x of any shape and floating dtype."""

    def __init__(self, negative_slope: float = 0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.leaky_relu(x, negative_slope=self.negative_slope)


def get_inputs():
    return [torch.rand(batch_size, dim)]


def get_init_inputs():
    return []
