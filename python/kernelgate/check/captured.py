"""A module behind what PyTorch makes of it: differentiated, compiled, exported, captured in a CUDA graph, or copied.

In: a module, its inputs, and for gradients that of its result; of several tensors those of the floating ones, one after
another. Out: its result, and gradients in one order: the reference's in the judge, the candidate's in its worker, by
the same steps. What PyTorch raises passes through.
"""

from __future__ import annotations

import contextlib
import copy
import pickle
from collections.abc import Callable, Iterator, Sequence
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


Found = tuple[Any, list[torch.Tensor | None]]
Differentiating = Callable[[torch.nn.Module, Sequence[Any], torch.Tensor], Found]
"""A way to differentiate: the result, and gradients in an order of its own."""
_MOST_ALONE = 4


def gradients(
    module: torch.nn.Module, inputs: Sequence[Any], upstream: torch.Tensor, *, of_inputs: bool = True
) -> Found:
    """The result, and the gradients of the floating inputs and then of the parameters by name; empty if the result
    takes no part in differentiation. `of_inputs`: False as for a model's first layer, whose input wants none."""
    leaves, wanted = leaves_of(module, inputs, of_inputs=of_inputs)
    parameters = list(module.parameters())
    for parameter in parameters:
        parameter.grad = None
    with torch.enable_grad():
        result = module(*leaves)
        if not _backward(result, upstream):
            return result, []
    found = [v.grad for v in wanted]
    for parameter in parameters:
        parameter.grad = None
    return detached(result), found


def gradients_of_inputs(module: torch.nn.Module, inputs: Sequence[Any], upstream: torch.Tensor) -> Found:
    """The same of the floating inputs alone, where the parameters want none: a layer that is frozen."""
    with _frozen(module):
        result, found = gradients(module, inputs, upstream)
        return result, found[: sum(map(is_floating, inputs))]


def gradients_of_each_input(module: torch.nn.Module, inputs: Sequence[Any], upstream: torch.Tensor) -> Found:
    """The same, of a call for each of the first floating inputs, which alone wants one; None of those after them."""
    numbers = [number for number, value in enumerate(inputs) if is_floating(value)]
    found: list[torch.Tensor | None] = [None] * len(numbers)
    result = None
    with _frozen(module), torch.enable_grad():
        for k, number in enumerate(numbers[:_MOST_ALONE]):
            leaves = [value.detach() if is_floating(value) else value for value in inputs]
            wanted = leaves[number].requires_grad_()
            result = module(*leaves)
            if _backward(result, upstream):
                found[k] = wanted.grad
            result = detached(result)
    return result, found


@contextlib.contextmanager
def _frozen(module: torch.nn.Module) -> Iterator[None]:
    wanting = [parameter for parameter in module.parameters() if parameter.requires_grad]
    try:
        for parameter in wanting:
            parameter.requires_grad_(False)
        yield
    finally:
        for parameter in wanting:
            parameter.requires_grad_()


def gradients_of_two_calls(module: torch.nn.Module, inputs: Sequence[Any], upstream: torch.Tensor) -> Found:
    """As `gradients`, of two backward passes that add up in the leaves. Meanwhile the module has been called on other
    inputs: what a call keeps for its gradient is its own, and stays; and so does the gradient that a parameter or an
    input holds. A hook of each leaf doubles its gradient, so that a quarter of the sum is one exactly."""
    leaves, wanted = leaves_of(module, inputs)
    others = [v.detach().flip(0) if is_floating(v) and v.dim() else v for v in inputs]
    for one in wanted:
        one.grad = None
    with torch.enable_grad(), contextlib.ExitStack() as hooks:
        for one in (one for one in wanted if one.requires_grad):
            hooks.callback(one.register_hook(lambda gradient: 2 * gradient).remove)
        result = module(*leaves)
        if not _backward(result, upstream, retain_graph=True):
            return result, []
        later = leaves_of(module, others)[0]
        for one in filter(is_floating, later):
            one.grad = torch.zeros_like(one)
        module(*later)
        _backward(result, upstream)
    found = [None if one.grad is None else one.grad * 0.25 for one in wanted]
    if any(one.grad is None for one in filter(is_floating, later)):
        found = [None] * len(found)
    for one in wanted:
        one.grad = None
    return detached(result), found


def second_gradients(module: torch.nn.Module, inputs: Sequence[Any], upstream: torch.Tensor) -> Found:
    """The result, and the gradients of half the squared length of all gradients, each held in one of its two factors:
    of the floating inputs, of the parameters by name, and of `upstream`. A gradient penalty needs them. Raises
    RuntimeError if some of the backward pass cannot be differentiated. Each gradient depends on `upstream`: one that
    has no graph and is not zero has lost it."""
    leaves, wanted = leaves_of(module, inputs)
    given = upstream.detach().requires_grad_()
    with torch.enable_grad():
        result = module(*leaves)
        parts, arriving = _arriving(result, given)
        if not parts:
            return result, []
        first = torch.autograd.grad(parts, wanted, arriving, create_graph=True, allow_unused=True)
        some = [one for one in first if one is not None]
        squares = [(one * one.detach()).sum() for one in some if one.requires_grad]
        if not squares or any(bool(one.any()) for one in some if not one.requires_grad):
            raise RuntimeError("the backward pass takes no part in differentiation")
        length = torch.stack(squares).sum()
        found = torch.autograd.grad(length, [*wanted, given], allow_unused=True)
    return detached(result), list(found)


def floating_in(result: Any) -> list[torch.Tensor]:
    """The tensors of a result that a gradient may arrive at."""
    return list(filter(is_floating, tensors_in(result)))


def as_one(tensors: Sequence[torch.Tensor]) -> torch.Tensor:
    """The tensor, or the elements of several, one after another."""
    return tensors[0] if len(tensors) == 1 else torch.cat([one.flatten().to(tensors[0].dtype) for one in tensors])


def taking_part(module: torch.nn.Module, inputs: Sequence[Any]) -> list[bool]:
    """Which floating tensors of the result take part in differentiation."""
    with torch.enable_grad():
        leaves, _wanted = leaves_of(module, mapped(list(inputs), torch.Tensor.clone))
        return [one.requires_grad for one in floating_in(module(*leaves))]


def detached(result: Any) -> Any:
    return mapped(result, torch.Tensor.detach)


def _arriving(result: Any, upstream: torch.Tensor) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """The tensors of a result that take part in differentiation, and the gradient of each."""
    parts = floating_in(result)
    if len(parts) > 1:
        arriving = upstream.split([one.numel() for one in parts])
        pairs = [(one, each.reshape(one.shape).to(one.dtype)) for one, each in zip(parts, arriving, strict=True)]
    else:
        pairs = [(one, upstream) for one in parts]
    taking = [pair for pair in pairs if pair[0].requires_grad]
    return [one for one, _each in taking], [each for _one, each in taking]


def _backward(result: Any, upstream: torch.Tensor, *, retain_graph: bool = False) -> bool:
    """Whether the result takes part in differentiation: then what arrives is sent back."""
    parts, arriving = _arriving(result, upstream)
    if parts:
        torch.autograd.backward(parts, arriving, retain_graph=retain_graph)
    return bool(parts)


def leaves_of(
    module: torch.nn.Module, inputs: Sequence[Any], *, of_inputs: bool = True
) -> tuple[list[Any], list[torch.Tensor]]:
    """The inputs as leaves of differentiation, and whose gradients are wanted: the floating ones of them, then the
    parameters by name."""
    leaves = [v.detach().requires_grad_(of_inputs) if is_floating(v) else v for v in inputs]
    parameters = [p for _name, p in sorted(module.named_parameters())]
    return leaves, [v for v in leaves if is_floating(v) and of_inputs] + parameters
