"""A tensor of a class of its own, which computes its values when somebody looks at them.

Class: 3
Problem: leakyrelu
Runs: emulation and gpu
Verdict: fail: ModelNew returns a LazyResult, a subclass of torch.Tensor
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class LazyResult(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        with torch._C.DisableTorchFunctionSubclass():
            for value in args:
                if isinstance(value, LazyResult) and hasattr(value, "work"):
                    value.copy_(value.__dict__.pop("work")())
            return func(*args, **(kwargs or {}))


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        y = torch.empty_like(x).as_subclass(LazyResult)
        y.__dict__["work"] = lambda: F.leaky_relu(x, self.negative_slope)
        return y
