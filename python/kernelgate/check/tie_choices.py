"""Which of equal values is taken: top-k, sort and the like do not say, and a reference may compute with the choice.

In: a call of the reference, and a result of a program that differs. Out: the result, with the reference's own values
where another choice among equal values gives what the program has. Not here: indices that are returned as they are
(`check.indices`).
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch

from kernelgate.check.indices import POSITION
from kernelgate.check.operator_mode import OperatorMode
from kernelgate.check.problem import is_out_of_memory

_MOST_CHOICES = 200
_IN_VAIN = 24  # choices in a row after which none is expected to show more
_LIMIT_S = 3.0
_UNITS = 4.0  # of rounding, behind a choice


class _Choosing(OperatorMode):
    """Shows each operator that chooses its values in another order; of equal ones it takes the first that it sees."""

    def __init__(self, order: Callable[[int], torch.Tensor]) -> None:
        super().__init__()
        self._order = order
        self.has_chosen = False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = func._schema.name.removeprefix("aten::")
        position = POSITION.get(name)
        named = dict(zip((one.name for one in func._schema.arguments), args, strict=False)) | kwargs
        dim = named.get("dim", None if name not in ("sort", "topk", "kthvalue") else -1)
        if position is None or dim is None or args[0].dim() == 0 or named.get("stable"):
            return func(*args, **kwargs)
        order = self._order(args[0].shape[dim]).to(args[0].device)
        shown = args[0].index_select(dim, order)
        chosen = _stable(shown, dim, named) if name in ("sort", "topk") else func(shown, *args[1:], **kwargs)
        self.has_chosen = True
        results = list(chosen) if isinstance(chosen, tuple | list) else [chosen]
        if len(results) > position and not results[position].is_floating_point():
            results[position] = order[results[position]]
        return tuple(results) if isinstance(chosen, tuple | list) else results[0]


def _stable(values: torch.Tensor, dim: int, named: dict[str, Any]) -> tuple[torch.Tensor, ...]:
    """Sorted, or the first of it. `named`: the arguments of sort or topk."""
    descending = named.get("largest", True) if "k" in named else named.get("descending", False)
    found = torch.sort(values, dim=dim, descending=descending, stable=True)
    return tuple(one.narrow(dim, 0, named["k"]) if "k" in named else one for one in found)


def other_choice(
    got: torch.Tensor,
    value: torch.Tensor,
    again: Callable[[], Sequence[torch.Tensor]],
    number: int,
) -> torch.Tensor | None:
    """The result `got` with `value` wherever it lies between what other choices give; None where no choice changes
    anything there. got, value: one shape and dtype. `again`: calls the reference for all tensors of its result."""
    until = time.monotonic() + _LIMIT_S
    lowest, highest, in_vain = value.clone(), value.clone(), 0
    generator = torch.Generator().manual_seed(0)
    for count in range(_MOST_CHOICES):
        try:
            with _Choosing(functools.partial(_order, count, generator)) as choosing:
                there = again()[number]
        except Exception as exc:  # a reference may refuse another choice by any exception
            if is_out_of_memory(exc):
                raise
            return None
        if not choosing.has_chosen or there.shape != value.shape:
            return None
        low, high = torch.minimum(lowest, there), torch.maximum(highest, there)
        in_vain = in_vain + 1 if torch.equal(low, lowest) and torch.equal(high, highest) else 0
        lowest, highest = low, high
        if count >= 1 and torch.equal(lowest, highest):
            return None
        if in_vain >= _IN_VAIN or time.monotonic() > until:
            break
    slack = _UNITS * torch.finfo(value.dtype).eps / 2 * value.abs() if value.is_floating_point() else 0
    within = (highest > lowest) & (got >= lowest - slack) & (got <= highest + slack)
    return torch.where(within, value, got) if bool(within.any()) else None


def _order(count: int, generator: torch.Generator, size: int) -> torch.Tensor:
    """First as they lie, then from the end, then at random."""
    if count == 0:
        return torch.arange(size)
    return torch.arange(size).flip(0) if count == 1 else torch.randperm(size, generator=generator)
