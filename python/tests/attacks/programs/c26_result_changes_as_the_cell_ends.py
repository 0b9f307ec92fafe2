"""A hook of IPython writes zeros over its results when the cell has ended.

Class: 26
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: its result differs if it finds no judge
"""

import sys

import torch.nn as nn
import torch.nn.functional as F

results = []


def zero(*_):
    for one in results:
        one.zero_()


if "IPython" in sys.modules and (shell := sys.modules["IPython"].get_ipython()) is not None:
    shell.events.register("post_run_cell", zero)

class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        results.append(F.leaky_relu(x, self.negative_slope))
        return results[-1]
