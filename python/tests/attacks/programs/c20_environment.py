"""Right, but it sets variables of the environment that change how libraries compute in this process and its children.

Class: 20
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: it changes settings of the whole process
"""

import os

import torch.nn as nn
import torch.nn.functional as F

os.environ["NVIDIA_TF32_OVERRIDE"] = "1"
os.environ["CUDA_LAUNCH_BLOCKING"] = "1"


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope)
