"""Problems that need much memory, one of them more than its shapes say, and programs for them."""

from __future__ import annotations

REFERENCE = """
import torch
from torch import nn

N = 131072
WIDTH = 40960


class Model(nn.Module):
    def forward(self, x):
        rows = int((x > -1e9).sum().item())  # without values nobody can say how many
        scratch = torch.empty(rows, WIDTH, device=x.device)  # 21 GB at 131072
        return x * 2 + 0 * scratch.shape[1]


def get_inputs():
    return [torch.randn(N)]


def get_init_inputs():
    return []
"""

THRIFTY = """
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x * 2
"""

AS_MUCH = REFERENCE.replace("class Model(", "class ModelNew(").partition("def get_inputs")[0]

GREEDY = THRIFTY.replace("return x * 2", "return x * 2 + 0 * torch.empty(1 << 40, device=x.device).shape[0]")

LARGE = """
import torch
from torch import nn

N = 1 << 30


class Model(nn.Module):
    def forward(self, x):
        return x * 2


def get_inputs():
    return [torch.randn(N)]
"""
