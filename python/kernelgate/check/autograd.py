"""Gradients of a module's result: the reference's in the judge, the candidate's in its worker, by the same steps.

In: a module, its inputs and the gradient of its result. Out: its result, and gradients in one order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch


def gradients(
    module: torch.nn.Module, inputs: Sequence[Any], upstream: torch.Tensor
) -> tuple[Any, list[torch.Tensor | None]]:
    """The result, and the gradients of the floating inputs and then of the parameters by name; empty where the result
    takes no part in differentiation."""
    leaves, wanted = leaves_of(module, inputs)
    parameters = list(module.parameters())
    for parameter in parameters:
        parameter.grad = None
    with torch.enable_grad():
        result = module(*leaves)
        if not isinstance(result, torch.Tensor) or not result.requires_grad:
            return result, []
        result.backward(upstream)
    found = [v.grad for v in wanted]
    for parameter in parameters:
        parameter.grad = None
    return result.detach(), found


def leaves_of(module: torch.nn.Module, inputs: Sequence[Any]) -> tuple[list[Any], list[torch.Tensor]]:
    """The inputs as leaves of differentiation, and whose gradients are wanted: the floating ones of them, then the
    parameters by name."""
    leaves = [v.detach().requires_grad_() if is_floating(v) else v for v in inputs]
    parameters = [p for _name, p in sorted(module.named_parameters())]
    return leaves, [v for v in leaves if is_floating(v)] + parameters


def is_floating(value: Any) -> bool:
    """Whether a value is a tensor that can have a gradient."""
    return isinstance(value, torch.Tensor) and value.is_floating_point()
