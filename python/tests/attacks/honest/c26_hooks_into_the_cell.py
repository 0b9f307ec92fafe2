"""Counts the cells of a notebook by a hook of IPython, and clears its own workspace there.

Class: 26
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import sys

import torch
import torch.nn as nn
import torch.nn.functional as F

workspace = []


def clear(*_):
    workspace.clear()


if "IPython" in sys.modules and (shell := sys.modules["IPython"].get_ipython()) is not None:
    shell.events.register("post_run_cell", clear)

class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        workspace.append(torch.empty_like(x))
        return F.leaky_relu(x, self.negative_slope)
