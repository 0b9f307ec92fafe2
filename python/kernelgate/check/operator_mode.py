"""The base of what watches or changes the operators that PyTorch dispatches; a list of those that were called; and a
limit to their time.

In: each operator that is called while it is entered. Out: what the derived class makes of it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from kernelgate.check.nesting import is_floating


class OperatorMode(TorchDispatchMode):  # type: ignore[misc]
    """A dispatch mode that is entered quickly. `call`: what is made of a call of an operator, by its name in ATen,
    without its overload."""

    def call(self, func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        raise NotImplementedError

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return self.call(func, func._schema.name.removeprefix("aten::"), tuple(args), kwargs or {})

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # PyTorch would import torch._dynamo for it, which takes seconds


def is_rounded(value: Any) -> bool:
    """Whether an argument or result holds numbers of limited precision."""
    return is_floating(value) or (isinstance(value, torch.Tensor) and value.is_complex())


def by_name(func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that an operator is given."""
    return {**dict(zip((one.name for one in func._schema.arguments), args, strict=False)), **kwargs}


def resolved(func: Any, args: Sequence[Any]) -> list[Any]:
    """Arguments to compute with, but for those that the operator writes to. Below a mode, PyTorch's arithmetic does not
    see that a tensor is to be read as its conjugate or negative."""
    given = list(args)
    for number, (value, argument) in enumerate(zip(args, func._schema.arguments, strict=False)):
        written = argument.alias_info is not None and argument.alias_info.is_write
        if isinstance(value, torch.Tensor) and not written:
            given[number] = value.resolve_conj().resolve_neg()
    return given


_LOSSES_OF_LABELS = ("nll_loss_forward", "nll_loss2d_forward")
_MOST_LABELS = 8
_WRITING = ("index_put", "index_put_impl")


class CalledOperators(OperatorMode):
    """Notes which operators are called while it is entered: by their names in ATen, without overloads. And of the first
    losses of labels, such as a cross entropy: the labels, and the number that marks one which the loss leaves out."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.labels: list[tuple[torch.Tensor, int]] = []

    def call(self, func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        adds_up = name.strip("_") in _WRITING and len(args) > 3 and args[3] is True
        self.names.add("index_add" if adds_up else name)
        if name in _LOSSES_OF_LABELS and len(args) == 5 and len(self.labels) < _MOST_LABELS:
            _input, labels, _weight, _reduction, left_out = args
            self.labels.append((labels, left_out))
        result = func(*args, **kwargs)
        if name == "_to_copy" and args[0].is_floating_point():
            narrower = not result.is_floating_point() or result.element_size() < args[0].element_size()
            self.names.update(["narrowed"] * narrower)
        return result


class TakesTooLong(Exception):
    """The time is over."""


class time_limit(OperatorMode):
    """Within it, an operator that begins after `seconds` raises TakesTooLong; also in a backward pass on the CPU."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._until = time.monotonic() + seconds

    def call(self, func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if time.monotonic() > self._until:
            raise TakesTooLong("PyTorch's operators take too long")
        return func(*args, **kwargs)
