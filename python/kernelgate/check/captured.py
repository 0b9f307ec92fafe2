"""A module behind what PyTorch makes of it: compiled, exported, captured in a CUDA graph, or copied.

In: a module and its inputs. Out: its result. What PyTorch raises passes through.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Sequence
from typing import Any

import torch

from kernelgate.check.nesting import is_floating, mapped, tensors_in

_WARM_UPS = 2
_compile = torch.compile


def compiled(module: torch.nn.Module, inputs: Sequence[Any]) -> Any:
    """By torch.compile(fullgraph=True) with the backend "eager": only the graph matters."""
    return _compile(module, fullgraph=True, backend="eager")(*inputs)


def leave_uncompiled() -> None:
    """From now on torch.compile gives back what it is given, in this process. What a reference computes does not depend
    on it, and modes that see every operator do not work with it."""
    torch.compile = _as_it_is


def _as_it_is(model: Any = None, **_options: Any) -> Any:
    return model if model is not None else (lambda function: function)


def exported(module: torch.nn.Module, inputs: Sequence[Any]) -> Any:
    return torch.export.export(module, tuple(inputs)).module()(*inputs)


def replayed(module: torch.nn.Module, inputs: Sequence[Any]) -> Any:
    """Captured in a CUDA graph with the values in another order, replayed with these. The buffers of the module are
    then as they were before the calls that a capture needs."""
    device = device_of(inputs)
    static = mapped(list(inputs), _turned)
    buffers = [(buffer, buffer.clone()) for buffer in module.buffers()]
    stream = torch.cuda.Stream(device)
    stream.wait_stream(torch.cuda.current_stream(device))
    with torch.cuda.stream(stream):
        for _ in range(_WARM_UPS):
            module(*static)
    torch.cuda.current_stream(device).wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    caller = torch.cuda.current_stream(device)
    try:
        with torch.cuda.graph(graph):
            result = module(*static)
    finally:
        torch.cuda.set_stream(caller)  # a capture that fails leaves its own stream the current one
    write_over(static, inputs)
    for buffer, before in buffers:
        buffer.copy_(before)
    graph.replay()
    torch.cuda.synchronize(device)
    return mapped(result, torch.Tensor.clone)


def _turned(value: torch.Tensor) -> torch.Tensor:
    """Other numbers that the module takes; of an integer, which may count something, the same."""
    if not is_floating(value):
        return value
    return value.flip(tuple(range(value.dim()))) if value.numel() > 1 else torch.ones_like(value)


def write_over(places: Any, values: Any) -> None:
    """Copies the elements of other tensors into these, unless they are the same ones."""
    for place, value in zip(tensors_in(places), tensors_in(list(values)), strict=True):
        if place is not value:
            place.copy_(value)


def device_of(inputs: Sequence[Any]) -> torch.device:
    return next((v.device for v in tensors_in(list(inputs))), torch.device("cuda", 0))


Called = Callable[[torch.nn.Module, Sequence[Any]], Any]
CAPTURES: dict[str, Called] = {"compiled": compiled, "exported": exported, "graph": replayed}
"""By the manner of a call (`messages.worker`)."""


COPIES: dict[str, Called] = {
    "copied": lambda module, inputs: copy.deepcopy(module)(*inputs),
    "pickled": lambda module, inputs: pickle.loads(pickle.dumps(module))(*inputs),
}
"""By the manner of a call, too."""


def in_inference_mode(module: torch.nn.Module, inputs: Sequence[Any]) -> Any:
    with torch.inference_mode():
        return module(*inputs)


def without_waiting(module: torch.nn.Module, inputs: Sequence[Any]) -> Any:
    """A plain call. Raises where the host waits for the device, which nothing may in a graph: to find that out by a
    capture would leave the process in the middle of one."""
    torch.cuda.set_sync_debug_mode("error")
    try:
        return module(*inputs)
    finally:
        torch.cuda.set_sync_debug_mode("default")


TRIALS: dict[str, Called] = {**CAPTURES, **COPIES, "inference mode": in_inference_mode, "graph": without_waiting}
"""The same, for a process that has to go on when it fails."""
