"""The squared ReLU of a large matrix."""

import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size = 4096
dim = 65536


class Model(nn.Module):
    """y = x * x where x > 0, 0 elsewhere."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.relu(x) ** 2


def get_inputs():
    return [torch.randn(batch_size, dim)]


def get_init_inputs():
    return []
