"""How much of its inputs a program has to read: a diagonal, or the rows of a table that are asked for, are a part.

In: a reference. Out: a share, from a sample of elements that are changed one by one. A program that takes less time
than reading that share takes has not done its work.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

import torch

from kernelgate.check.nesting import flatten, tensors_in
from kernelgate.check.problem import is_out_of_memory
from kernelgate.judge.reference.copies import copied
from kernelgate.judge.reference.reference import Reference
from kernelgate.timing.lower_bound import nbytes

_SAMPLED = 64
_LARGE = 1e3


def share_read(reference: Reference, draw: random.Random) -> float | None:
    """The least share of the bytes of its own inputs that decide about the reference's result; 0 where that cannot be
    known, None where memory runs out. It calls the reference some 130 times."""
    inputs = [copied(value) for value in reference.timed_inputs]
    tensors = [one for one in tensors_in(inputs) if one.numel()]
    module = reference.module(reference.dtype)

    def results() -> list[torch.Tensor]:
        return flatten(reference.call(module, inputs))[1]

    try:
        before = results()
        if not tensors or not _same(results(), before):
            return 0.0
        found = sum(_changes(results, before, tensors, draw) for _ in range(_SAMPLED))
    except torch.OutOfMemoryError:
        return None
    share = found / _SAMPLED
    return max(0.0, share - 2 * math.sqrt(share * (1 - share) / _SAMPLED))


def _changes(
    results: Callable[[], list[torch.Tensor]],
    before: Sequence[torch.Tensor],
    tensors: Sequence[torch.Tensor],
    draw: random.Random,
) -> bool:
    """Whether another value of one element changes a result; the element is then as it was."""
    (tensor,) = draw.choices(tensors, [nbytes([one]) for one in tensors])
    place = tuple(draw.randrange(size) for size in tensor.shape)
    was = tensor[place].clone()

    def is_read(value: torch.Tensor) -> bool:
        tensor[place] = value
        return not _same(results(), before)

    try:
        return any(map(is_read, _others(was, tensor, draw)))
    except Exception as exc:  # a reference may refuse a value by any exception, and has then read it
        if is_out_of_memory(exc):
            raise torch.OutOfMemoryError(str(exc)) from exc
        return True
    finally:
        tensor[place] = was


def _others(was: torch.Tensor, tensor: torch.Tensor, draw: random.Random) -> list[torch.Tensor]:
    """Large numbers of either sign, or of integers one of the others, which the reference takes. No NaN: times 0, it is
    one, and nobody needs to read what is multiplied by 0."""
    if was.is_floating_point() or was.is_complex():
        return [torch.full_like(was, value) for value in (_LARGE, -_LARGE)]
    if was.dtype == torch.bool:
        return [~was]
    return [tensor[tuple(draw.randrange(size) for size in tensor.shape)]]


def _same(one: Sequence[torch.Tensor], other: Sequence[torch.Tensor]) -> bool:
    """By value: 0 is -0, and NaN is NaN."""
    return len(one) == len(other) and all(
        a.shape == b.shape and bool(((a == b) | ((a != a) & (b != b))).all()) for a, b in zip(one, other, strict=True)
    )
