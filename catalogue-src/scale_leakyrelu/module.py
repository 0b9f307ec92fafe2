"""leaky_relu(x * multiplier, slope) as one CUDA kernel. Needs torch and a CUDA toolchain, nothing else.

    layer = ModelNew(multiplier=2.0, negative_slope=0.1)
    y = layer(linear(x))        # same shape, strides, dtype and bits as F.leaky_relu(linear(x) * 2.0, 0.1)

Eager PyTorch moves each element twice, for the product and for the activation; this moves it once. For the gradient it
keeps one bit an element, "the product was positive". A multiplier that is a tensor of one element (a learned scale)
stays on the GPU and gets its gradient in the same pass; x is then kept instead of the mask, because that gradient needs
it. Other tensors, and everything on other devices, run PyTorch's own operators.
"""

import hashlib
import inspect
import threading

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.cpp_extension import load_inline

try:
    from torch.compiler import assume_constant_result
except ImportError:  # PyTorch before 2.1
    from torch._dynamo import assume_constant_result

# What the two halves of the program tell each other, in plain types: nvcc then reads no header of PyTorch, and compiles
# in a second.
TYPES = source("types.h")

PROTOTYPES = source("prototypes.h")

# ------------------------------------------------------------------------------------------------------------ device

KERNELS = source("kernels.cuh")

LAUNCHERS = source("launchers.cu")

# -------------------------------------------------------------------------------------------------------------- host

HOST = source("host.cpp")

# -------------------------------------------------------------------------------------------------------------- module

_SOURCES = (TYPES, PROTOTYPES, KERNELS, LAUNCHERS, HOST)
# Another source, or another PyTorch, gets an extension of its own, beside those that this process may have loaded.
_NAME = "scale_leakyrelu_" + hashlib.sha256("".join((torch.__version__, *_SOURCES)).encode()).hexdigest()[:16]
include("../shared/extension.py")


class ModelNew(nn.Module):
    """leaky_relu(x * multiplier, negative_slope) by the kernels above.

    The multiplier is a number, or a tensor that multiplies x; as an nn.Parameter it is trained.
    """

    def __init__(self, multiplier: float = 1.0, negative_slope: float = 0.01):
        super().__init__()
        self.multiplier = multiplier
        self.negative_slope = negative_slope

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not (x.is_cuda and x.is_floating_point()):
            return F.leaky_relu(x * self.multiplier, self.negative_slope)
        operators = getattr(torch.ops, _extension())
        if isinstance(self.multiplier, torch.Tensor):
            return operators.scale_leaky_relu_by(x, self.multiplier, self.negative_slope)
        return operators.scale_leaky_relu(x, self.multiplier, self.negative_slope)
