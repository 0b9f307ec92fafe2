"""Right, but it has cuBLAS emulate float32 products, by a variable that Python's os.environ does not show.

Class: 20
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: it changes settings of the whole process
"""

import ctypes

import torch.nn as nn
import torch.nn.functional as F

ctypes.CDLL(None).setenv(b"CUBLAS_EMULATE_SINGLE_PRECISION", b"1", 1)


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope)
