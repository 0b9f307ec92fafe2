"""What C++ registers with PyTorch: operators of TORCH_LIBRARY, and differentiable functions of torch::autograd.

In: schemas and functions from the facade's headers (`torch/library.h`, `torch/csrc/autograd`).
Out: the same operators in torch.ops, with torch.library and torch.autograd.Function behind them.
Here all memory is the host's, so a kernel for CUDA is registered for the CPU, and what is for other devices, for vmap
or for tracing is left out: PyTorch's own rules then apply.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

_KEYS = {
    "": "CompositeImplicitAutograd",
    "CompositeImplicitAutograd": "CompositeImplicitAutograd",
    "CUDA": "CPU",
    "Meta": "Meta",
    "Autograd": "Autograd",
    "AutogradCUDA": "Autograd",
}
_AS_FUNCTIONS = (torch._C._VariableFunctions, torch._C._nn)  # by which a tensor's device is watched
_alive: list[torch.library.Library] = []  # an operator goes with the library that registered it


class Library:
    """One block: TORCH_LIBRARY ("DEF"), TORCH_LIBRARY_FRAGMENT ("FRAGMENT") or TORCH_LIBRARY_IMPL ("IMPL")."""

    def __init__(self, kind: str, namespace: str, key: str) -> None:
        self._library = torch.library.Library(namespace, kind)
        self._key = key
        _alive.append(self._library)

    def define(self, schema: str) -> None:
        self._library.define(schema)

    def implement(self, name: str, key: str, function: Callable[..., Any]) -> None:
        """`key` overrides the block's; a key that means nothing here is passed over."""
        wanted = _KEYS.get(key or self._key)
        if wanted is not None:
            self._library.impl(name, _with_defaults(self._library.ns, name, function), wanted)


def _with_defaults(namespace: str, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, given the schema's defaults: torch leaves out arguments that are equal to theirs."""
    operator, _, overload = name.partition(".")

    def call(*args: Any, **kwargs: Any) -> Any:
        schema = getattr(getattr(getattr(torch.ops, namespace), operator), overload or "default")._schema
        missing = schema.arguments[len(args) :]
        return function(*args, *(kwargs.get(a.name, a.default_value) for a in missing))

    return call


def find(name: str, overload: str) -> Any:
    """The operator "namespace::name". Raises RuntimeError, as C++ does."""
    namespace, _, operator = name.partition("::")
    try:
        return getattr(getattr(getattr(torch.ops, namespace), operator), overload or "default")
    except AttributeError:
        raise RuntimeError(f"Could not find schema for {name}.{overload}") from None


def call(name: str, overload: str, *given: Any) -> Any:
    """What an operator of PyTorch's gives, whose arguments stand in the order of its schema, as in C++."""
    operator = find(f"aten::{name}", overload)
    known = next((one for one in _AS_FUNCTIONS if hasattr(one, name)), None)
    by_name = {
        argument.name: value
        for argument, value in zip(operator._schema.arguments, given, strict=False)
        if argument.kwarg_only
    }
    function = operator if known is None else getattr(known, name)
    return function(*given[: len(given) - len(by_name)], **by_name)


class _Native(torch.autograd.Function):  # type: ignore[misc]
    @staticmethod
    def forward(
        ctx: Any, forward: Callable[..., Any], backward: Callable[..., Any], *inputs: torch.Tensor | None
    ) -> Any:
        ctx.native_backward = backward
        result = forward(ctx)
        return tuple(result) if isinstance(result, list) else result

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor | None) -> Any:
        return (None, None, *ctx.native_backward(ctx, list(gradients)))


def apply(
    forward: Callable[..., Any], backward: Callable[..., Any], inputs: Sequence[torch.Tensor | None]
) -> Any:
    """torch::autograd::Function::apply; `inputs` has one place for each argument, None if it is no tensor."""
    return _Native.apply(forward, backward, *inputs)
