"""Right, but attention has one kernel less to choose from, everywhere in the process.

Class: 20
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: it changes settings of the whole process
"""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.backends.cuda.enable_flash_sdp(False)


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope)
