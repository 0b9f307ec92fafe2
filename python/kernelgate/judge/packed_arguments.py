"""Arguments of a constructor or a call, as a message carries them.

In: values, nested ones included. Out: `Argument`, and the descriptors of what lies in host memory.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from kernelgate.backend.memory import packed
from kernelgate.messages.worker import Argument, Nested, NotFinite, Value


def packed_argument(value: Any, descriptors: list[int]) -> Argument:
    """An argument as a message carries it; a host tensor's descriptor is added to the list."""
    if isinstance(value, torch.Tensor):
        return packed(value, descriptors)
    if isinstance(value, dict):
        items = [packed_argument(one, descriptors) for one in value.values()]
        return Nested("dict", items, list(value))
    if isinstance(value, list | tuple):
        items = [packed_argument(one, descriptors) for one in value]
        return Nested("list" if isinstance(value, list) else "tuple", items)
    if isinstance(value, float) and not math.isfinite(value):
        return NotFinite("nan" if value != value else "inf" if value > 0 else "-inf")
    return Value(value)
