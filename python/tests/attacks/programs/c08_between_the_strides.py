"""Right for a slice of a larger tensor, but it overwrites the elements of that tensor which lie between.

Class: 8
Problem: leakyrelu
Contract: drop-in
Runs: emulation and gpu
Verdict: fail: it changes its input in place
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        if x.dim() == 2 and not x.is_contiguous() and x.stride(0) > x.shape[1] > 1 and x.stride(1) > 1:
            kept = x.clone()
            x.as_strided((x.shape[0] * x.stride(0) - 1,), (1,), x.storage_offset()).zero_()
            x.copy_(kept)
        return F.leaky_relu(x, self.negative_slope)
