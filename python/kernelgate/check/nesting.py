"""Values inside values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


def flatten(value: Any) -> tuple[str, list[torch.Tensor]]:
    """The form of a value in words, and the tensors in it in order."""
    if isinstance(value, torch.Tensor):
        return "tensor", [value]
    if isinstance(value, tuple | list):
        parts = [flatten(one) for one in value]
        words = ", ".join(words for words, _ in parts)
        return (f"({words})" if isinstance(value, tuple) else f"[{words}]"), [
            t for _, ts in parts for t in ts
        ]
    return str(value), []


def mapped(value: Any, change: Callable[[torch.Tensor], Any]) -> Any:
    """A value with each tensor in it changed, lists, tuples and dictionaries included."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if type(value) in (list, tuple):
        return type(value)(mapped(one, change) for one in value)
    if type(value) is dict:
        return {key: mapped(one, change) for key, one in value.items()}
    return value
