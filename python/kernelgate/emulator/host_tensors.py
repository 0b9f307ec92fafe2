"""Which tensors host code may look into: those that the program itself made on the CPU.

In emulation every tensor is in host memory, so an examination has to be told. Those count as the CPU's that a program
copied there or made there, and what is computed from them alone.
Not here: the looking (`runtime/examine.cpp`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch

from .native import Native
from .torch_surface import EmulatedDevice, names_cpu, names_gpu


class HostTensors(EmulatedDevice):
    """The emulated device, with a note of what is on the CPU."""

    def __init__(self, native: Native) -> None:
        super().__init__()
        self._native = native

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        result = super().__torch_function__(func, types, args, kwargs)
        if not isinstance(result, torch.Tensor) or result.layout != torch.strided:
            return result
        with torch._C.DisableTorchFunction():
            if self._on_host(func, args, kwargs or {}):
                self._native.mark_host(result.untyped_storage().data_ptr())
            elif args and result is args[0] and self._is_host(result):
                return result.clone()  # moved to the device, where host code cannot look
        return result

    def _on_host(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        if func == torch.Tensor.cuda:
            return False
        named = [kwargs.get("device"), *(args[1:] if func == torch.Tensor.to else ())]
        if func == torch.Tensor.cpu or any(map(names_cpu, named)):
            return True
        # A number may be a device too, but not where a tensor is made.
        if any(names_gpu(name) for name in named if not isinstance(name, int)):
            return False
        return all(map(self._is_host, _tensors((*args, *kwargs.values()))))

    def _is_host(self, tensor: torch.Tensor) -> bool:
        if tensor.layout != torch.strided:
            return False
        return self._native.is_host(tensor.untyped_storage().data_ptr())


def _tensors(values: Iterable[Any]) -> Iterable[torch.Tensor]:
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, list | tuple):
            yield from _tensors(value)
