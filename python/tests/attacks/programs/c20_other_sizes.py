"""Defines the problem's names itself, small: a judge that shares a namespace would then draw small inputs.

Class: 20
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: negative inputs are returned unchanged
"""

import torch
import torch.nn as nn

batch_size = 1
dim = 8


class Model(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()

    def forward(self, x):
        return x


def get_inputs():
    return [torch.zeros(batch_size, dim)]


def get_init_inputs():
    return []


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()

    def forward(self, x):
        return x.clone()
