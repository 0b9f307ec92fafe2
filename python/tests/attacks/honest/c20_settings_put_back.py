"""Changes settings of the process within a call, and puts each back.

Class: 20
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import contextlib
import decimal
import io
import os
import sys
import warnings
from pathlib import Path

import numpy
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        before, limit = Path.cwd(), sys.getrecursionlimit()
        os.chdir("/")
        sys.setrecursionlimit(limit + 100)
        with decimal.localcontext() as context, numpy.errstate(all="ignore"), torch.set_grad_enabled(True):
            context.prec = 3
            with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
                warnings.simplefilter("error")
                print(decimal.Decimal(1) / 3)
            with torch.autograd.graph.saved_tensors_hooks(lambda saved: saved, lambda saved: saved):
                x = x.clone()
        sys.setrecursionlimit(limit)
        os.chdir(before)
        return F.leaky_relu(x, self.negative_slope)
