"""Tells the compiler by the environment what to build for, and how many files at once.

Class: 20
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import os

import torch.nn as nn
import torch.nn.functional as F

os.environ["TORCH_CUDA_ARCH_LIST"] = "9.0"
os.environ.setdefault("MAX_JOBS", "4")
os.environ.setdefault("CXX", "g++")
os.environ.setdefault("CUDA_HOME", "/usr/local/cuda")


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope)
