"""LeakyReLU in CUDA, a drop-in for nn.LeakyReLU. Needs torch and a CUDA toolchain, nothing else.

    layer = ModelNew(negative_slope=0.01)
    y = layer(x)        # same shape, strides, dtype and bits as F.leaky_relu(x, 0.01)

Forward moves each element once in and once out. For the gradient it keeps one bit an element, "x was positive", where
PyTorch keeps x: 1/32 of its memory, 1/16 for the half types. The kernels are built on first use, in a few seconds.
CPU tensors run PyTorch's own leaky_relu, and need no build.
"""

import hashlib
import inspect
import threading

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.cpp_extension import load_inline

try:
    from torch.compiler import assume_constant_result, is_compiling
except ImportError:  # PyTorch before 2.3
    from torch._dynamo import assume_constant_result, is_compiling

# What the two halves of the program tell each other, in plain types: nvcc then reads no header of PyTorch, and compiles
# in a second.
TYPES = source("types.h")

PROTOTYPES = source("../shared/masked_launch.h")

# ------------------------------------------------------------------------------------------------------------ device

KERNELS = source("kernels.cuh")

LAUNCHERS = source("launchers.cu")

# -------------------------------------------------------------------------------------------------------------- host

HOST = source("host.cpp")

# -------------------------------------------------------------------------------------------------------------- module

_SOURCES = (TYPES, PROTOTYPES, KERNELS, LAUNCHERS, HOST)
# Another source, or another PyTorch, gets an extension of its own, beside those that this process may have loaded.
_NAME = "leakyrelu_" + hashlib.sha256("".join((torch.__version__, *_SOURCES)).encode()).hexdigest()[:16]
include("../shared/extension.py")


_call = None


def _operator():
    """The operator as PyTorch binds it: the two frames of Python around that take as long as a small kernel."""
    global _call
    if _call is None:
        _call = getattr(torch.ops, _extension()).leaky_relu._op
    return _call


class ModelNew(nn.LeakyReLU):
    """nn.LeakyReLU by the kernels above: same constructor, attributes, (empty) state_dict and results.

    `keep_input=True` keeps x instead of the mask for the gradient, as PyTorch does: for a place where somebody else
    keeps x anyway, so that it costs no memory at all. The mask is faster nevertheless.
    """

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False, *, keep_input: bool = False):
        super().__init__(negative_slope, inplace)
        self.keep_input = keep_input

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.inplace or not x.is_cuda or (self.keep_input and x.requires_grad and torch.is_grad_enabled()):
            return F.leaky_relu(x, self.negative_slope, self.inplace)
        if is_compiling():
            return getattr(torch.ops, _extension()).leaky_relu(x, self.negative_slope)
        return (_call or _operator())(x, self.negative_slope)
