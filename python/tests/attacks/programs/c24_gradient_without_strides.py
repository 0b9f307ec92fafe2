"""A backward that reads the gradient as a kernel does, element after element in memory, whatever its strides.

Class: 24
Problem: leakyrelu
Contract: drop-in
Runs: emulation and gpu
Verdict: fail: its gradient is wrong if the incoming gradient is not contiguous
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Leaky(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, slope):
        ctx.save_for_backward(x)
        ctx.slope = slope
        return F.leaky_relu(x, slope)

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        # data_ptr() and an index; as far as its memory goes, so that the emulator does not stop it.
        n, room = gradient.numel(), gradient.untyped_storage().nbytes() // gradient.element_size()
        start = max(0, min(gradient.storage_offset(), room - n))
        raw = gradient if room < n else torch.as_strided(gradient, (n,), (1,), start).view(x.shape)
        return torch.where(x > 0, raw, raw * ctx.slope), None


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return Leaky.apply(x, self.negative_slope)
