"""The reference in float64: every number that it computes with, also those that it makes itself.

In: a module and its inputs. Out: a copy of the module in float64, and a mode in which what it makes or converts is
float64 as well. Plain tensors among its attributes, `torch.zeros` in `forward` and `.float()` reach float64 too.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

_WIDER = {
    **dict.fromkeys((torch.float32, torch.float16, torch.bfloat16), torch.float64),
    **dict.fromkeys((torch.complex64, torch.complex32), torch.complex128),
}


class _Widening(TorchDispatchMode):  # type: ignore[misc]
    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # PyTorch would import torch._dynamo for it, which takes seconds

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if kwargs.get("dtype") in _WIDER:
            kwargs = {**kwargs, "dtype": _WIDER[kwargs["dtype"]]}
        return func(*args, **kwargs)


@contextlib.contextmanager
def widening() -> Iterator[None]:
    """Inside, a tensor that is made or converted to a narrower floating dtype is float64."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with _Widening():
            yield
    finally:
        torch.set_default_dtype(before)


def with_tensors(module: torch.nn.Module, change: Callable[[torch.Tensor], torch.Tensor]) -> torch.nn.Module:
    """A copy of a module with every floating tensor of it changed: parameters, buffers and plain attributes, those in
    lists and dictionaries included."""
    return change_tensors(copy.deepcopy(module), change)


def change_tensors(
    changed: torch.nn.Module, change: Callable[[torch.Tensor], torch.Tensor]
) -> torch.nn.Module:
    """The module itself, changed so; for one in which functions hold parts of it, which a copy does not reach."""
    for tensor in (*changed.parameters(), *changed.buffers()):
        if tensor.is_floating_point():
            tensor.data = change(tensor.data)
    for part in changed.modules():
        for name, value in list(vars(part).items()):
            if not name.startswith("_"):
                vars(part)[name] = _changed(value, change)
    return changed


def _changed(value: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    if isinstance(value, torch.Tensor):
        return change(value) if value.is_floating_point() else value
    if type(value) in (list, tuple):
        return type(value)(_changed(one, change) for one in value)
    if type(value) is dict:
        return {key: _changed(one, change) for key, one in value.items()}
    return value
