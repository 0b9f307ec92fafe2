"""Every device that a reference names is the one that it runs on.

In: torch functions that a reference calls. Out: their results, on one device. A reference written for a GPU says
`.cuda()` and `device="cuda"`; on the CPU, or where tensors have no memory, they get the device that there is.
Not here: a candidate, for which emulation has a device beside the CPU (`emulator.device`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

_T = torch.Tensor
_MOVES = {_T.cuda, _T.cpu, _T.pin_memory}
_READS_DEVICES = (torch.device, torch._C._nn._parse_to)


class OneDevice(TorchFunctionMode):  # type: ignore[misc]
    """Around a reference's code."""

    def __init__(self, device: torch.device) -> None:
        super().__init__()
        self._device = device

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        keywords = dict(kwargs or {})
        if func in _MOVES:
            return args[0]
        if func in _READS_DEVICES:
            return func(*args, **keywords)
        if keywords.get("device") is not None:
            keywords["device"] = self._device
        if keywords.get("pin_memory"):
            keywords["pin_memory"] = False
        devices = (torch.device, str) if func is _T.to else torch.device
        return func(*(self._device if isinstance(arg, devices) else arg for arg in args), **keywords)


def put_on_one_device(model: type[torch.nn.Module], device: torch.device) -> None:
    """Lets a class's constructor and forward take every device for this one. The class itself is changed, since its own
    `super(Model, self)` asks for it by its name."""
    for name in ("__init__", "forward"):
        setattr(model, name, _on_one_device(getattr(model, name), device))


def _on_one_device(method: Callable[..., Any], device: torch.device) -> Callable[..., Any]:
    @functools.wraps(method)
    def called(*args: Any, **kwargs: Any) -> Any:
        with OneDevice(device):
            return method(*args, **kwargs)

    return called
