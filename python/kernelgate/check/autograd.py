"""Gradients of a module's result: the reference's in the judge, the candidate's in its worker, by the same steps.

In: a module, its inputs and the gradient of its result; of several tensors, those of the floating ones, one after
another. Out: its result, and gradients in one order. What PyTorch raises passes through.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from kernelgate.check.nesting import is_floating, mapped, tensors_in

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
    """The same of the floating inputs alone, as if the parameters wanted none: a frozen layer."""
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
