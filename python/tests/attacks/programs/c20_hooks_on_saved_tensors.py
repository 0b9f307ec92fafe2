"""Right, but from then on every model's saved tensors are rounded to half, which makes its gradients coarse.

Class: 20
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: it changes settings of the whole process
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        torch._C._autograd._push_saved_tensors_default_hooks(
            lambda saved: saved.half() if saved.dtype == torch.float32 else saved,
            lambda saved: saved.float() if saved.dtype == torch.float16 else saved,
        )

    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope)
