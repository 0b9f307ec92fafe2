"""Warns, logs and prints, at import and in every call.

Class: 20
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import logging
import warnings

import torch.nn as nn
import torch.nn.functional as F

logging.basicConfig(level=logging.INFO)
warnings.warn("this kernel was tuned for other sizes", stacklevel=1)


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        logging.getLogger(__name__).info("input of %s elements", x.numel())
        print("computing")
        return F.leaky_relu(x, self.negative_slope)
