"""What one call of a reference costs, found without computing it: on tensors that have a shape and no memory.

In: a problem's text and sizes. Out: `Work`, or `DoesNotRun` where the reference refuses these sizes. Not here: whether
it is affordable (`judge.reference.affordable`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry

from kernelgate.check.one_device import OneDevice
from kernelgate.check.operator_mode import OperatorMode
from kernelgate.check.problem import Problem, ProblemError

_META = torch.device("meta")
_FEW_OF_A_BATCH = 16  # elements of a channel


class DoesNotRun(Exception):
    """The reference raises at these sizes, or cannot be followed without computing it."""


@dataclass(frozen=True)
class Work:
    """Of one call. `elements`: of inputs, parameters, buffers, and the largest result on the way. `operations`: of
    arithmetic, and one for each element that an operator makes. `lone`: how many normalizations are over one element
    each, and give the same for every input, or over a few of a batch. `calls`: of operators, a recurrent layer's
    for one moment; `launches`: of operators, a recurrent layer's for every moment."""

    elements: int
    operations: int
    lone: int = 0
    calls: int = 0
    launches: int = 0


@dataclass(frozen=True)
class Budget:
    """What one call may cost."""

    elements: int
    operations: int

    def fits(self, work: Work) -> bool:
        return self.excess(work) <= 1

    def excess(self, work: Work) -> float:
        """How many times too large it is: the product of both excesses, 1 where it fits."""
        return max(work.elements / self.elements, 1) * max(work.operations / self.operations, 1)


def work_of(text: str, label: str, sizes: Mapping[str, int]) -> Work:
    """Raises DoesNotRun."""
    counted = _Counted()
    with _OnMeta(counted):
        try:
            problem, module, inputs = _made(text, label, sizes)
            with _META, counted:
                problem.call(module, inputs)
        except Exception as exc:  # a reference may refuse its inputs by any exception
            raise DoesNotRun(str(exc)) from exc
    return Work(
        _elements(module, inputs) + counted.largest,
        counted.operations,
        counted.lone,
        counted.calls,
        counted.launches,
    )


def elements_of(text: str, label: str, sizes: Mapping[str, int]) -> Work:
    """By inputs, parameters and buffers alone, for a reference that cannot be followed. Raises DoesNotRun."""
    with _OnMeta(_Counted()):
        try:
            _problem, module, inputs = _made(text, label, sizes)
        except ProblemError as exc:
            raise DoesNotRun(str(exc)) from exc
    elements = _elements(module, inputs)
    return Work(elements, elements)


def _made(text: str, label: str, sizes: Mapping[str, int]) -> tuple[Problem, torch.nn.Module, list[Any]]:
    problem = Problem(text, label, _META, sizes)
    inputs = problem.inputs(0)
    with _META:
        module = problem.model(problem.init_inputs(0), 0, torch.float32)
    return problem, module, inputs


def _elements(module: torch.nn.Module, inputs: Sequence[Any]) -> int:
    given = [leaf for leaf in tree_leaves(list(inputs)) if isinstance(leaf, torch.Tensor)]
    return sum(t.numel() for t in [*given, *module.parameters(), *module.buffers()])


class _Counted(OperatorMode):
    def __init__(self) -> None:
        super().__init__()
        self.operations = 0
        self.largest = 0
        self.lone = 0
        self.calls = 0
        self.launches = 0

    def call(self, func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        result = _batch_norm(args) if name == "native_batch_norm" else func(*args, **kwargs)
        made = sum(leaf.numel() for leaf in tree_leaves(result) if isinstance(leaf, torch.Tensor))
        if not func.is_view:
            self.largest = max(self.largest, made)
            self.operations += made
        self.lone += _over_one(name, args)
        self.calls += 1
        self.launches += 1
        flops = flop_registry.get(func._overloadpacket)
        if flops is not None:
            self.operations += flops(*args, **kwargs, out_val=result)
        return result


def _batch_norm(args: Sequence[Any]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Of tensors without memory, where PyTorch takes it apart, which is slow. Raises ValueError."""
    x, *of_channels = args[:5]
    channels = x.shape[1]
    if any(one is not None and one.numel() != channels for one in of_channels):
        raise ValueError(f"batch normalization of {channels} channels")
    return torch.empty_like(x), x.new_empty(channels), x.new_empty(channels)


def _over_one(name: str, args: Sequence[Any]) -> bool:
    """Whether an operator normalizes, and every element by itself alone; of batch normalization, over so few that what
    it makes of rounding grows from layer to layer."""
    if name == "native_batch_norm":
        return bool(args[5] and args[0].numel() < _FEW_OF_A_BATCH * args[0].shape[1])
    if name == "native_group_norm":
        _x, _weight, _bias, _n, channels, size, groups = args[:7]
        return bool(channels * size == groups)
    if name == "native_layer_norm":
        return bool(math.prod(args[1]) == 1)
    if name in ("_softmax", "_log_softmax"):
        return bool(args[0].dim() > 0 and args[0].shape[args[1]] == 1)
    return False


_T = torch.Tensor
_NUMBERS = {_T.item, _T.__int__, _T.__float__, _T.__bool__, _T.__index__}
_RECURRENT = {torch.lstm, torch.gru, torch.rnn_tanh, torch.rnn_relu}
_PADDED_ARGUMENTS = (
    9  # of a recurrent layer whose sequences are padded; the last says which dimension is time
)


class _OnMeta(OneDevice):
    """Every device is the one without memory, and every number read from it is 0."""

    def __init__(self, counted: _Counted) -> None:
        super().__init__(_META)
        self._counted = counted

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        if func in _NUMBERS and args[0].is_meta:
            return _number(func, args[0])
        if func is _T.tolist and args[0].is_meta:
            return torch.zeros(args[0].shape, dtype=args[0].dtype, device="cpu").tolist()
        if func in _RECURRENT and len(args) == _PADDED_ARGUMENTS and isinstance(args[-1], bool):
            return self._recurrent(func, args)
        return super().__torch_function__(func, types, args, kwargs)

    def _recurrent(self, func: Any, args: Sequence[Any]) -> Any:
        """One moment of a recurrent layer, which is followed operator by operator, stands for all."""
        time = 1 if args[-1] else 0
        moments = args[0].shape[time]
        before, launched = self._counted.operations, self._counted.launches
        output, *states = func(args[0].narrow(time, 0, 1), *args[1:])
        self._counted.operations += (self._counted.operations - before) * (moments - 1)
        self._counted.launches += (self._counted.launches - launched) * (moments - 1)
        shape = list(output.shape)
        shape[time] = moments
        self._counted.largest = max(self._counted.largest, output.numel() * moments)
        return (output.expand(shape), *states)


def _number(func: Any, tensor: torch.Tensor) -> Any:
    if func is _T.__bool__:
        return False
    if func in (_T.__int__, _T.__index__):
        return 0
    return 0.0 if func is _T.__float__ or tensor.is_floating_point() else 0
