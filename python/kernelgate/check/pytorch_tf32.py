"""Whether PyTorch itself may compute float32 products in TF32, by its settings and on this device.

In: a device, and what is multiplied. Out: yes or no. By default it may for convolutions and not for products of
matrices; which of its algorithms does, cuDNN decides for each size and for the memory that is free at the time:
https://docs.pytorch.org/docs/stable/notes/cuda.html#tf32-on-ampere
Not here: what an error means (`check.arithmetic`).
"""

from __future__ import annotations

import torch

_FIRST_WITH_TF32 = (8, 0)


def may_use_tf32(device: torch.device, *, convolves: bool) -> bool:
    """`convolves`: there are convolutions among the products."""
    if device.type != "cuda" or torch.cuda.get_device_capability(device) < _FIRST_WITH_TF32:
        return False
    return _of_matrices() or (convolves and torch.backends.cudnn.enabled and _of_convolutions())


def _of_matrices() -> bool:
    try:
        return bool(torch.backends.cuda.matmul.allow_tf32)
    except RuntimeError:  # since 2.9, where the other way of setting it has been used
        return bool(torch.backends.cuda.matmul.fp32_precision == "tf32")


def _of_convolutions() -> bool:
    try:
        return bool(torch.backends.cudnn.allow_tf32)
    except RuntimeError:
        return bool(torch.backends.cudnn.conv.fp32_precision == "tf32")
