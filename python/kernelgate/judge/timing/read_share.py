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
from kernelgate.check.numerics import same_bits
from kernelgate.check.problem import is_out_of_memory
from kernelgate.judge.copies import copied
from kernelgate.judge.reference import Reference

_SAMPLED = 64


def share_read(reference: Reference, draw: random.Random) -> float:
    """The least share of the bytes of its own inputs that decide about the reference's result; 0 where that cannot be
    known. It calls the reference some 70 times."""
    inputs = [copied(value) for value in reference.own_inputs]
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
        return 0.0
    share = found / _SAMPLED
    return max(0.0, share - 2 * math.sqrt(share * (1 - share) / _SAMPLED))


def _changes(
    results: Callable[[], list[torch.Tensor]],
    before: Sequence[torch.Tensor],
    tensors: Sequence[torch.Tensor],
    draw: random.Random,
) -> bool:
    """Whether another value of one element changes a result; the element is then as it was."""
    (tensor,) = draw.choices(tensors, [one.nbytes for one in tensors])
    place = tuple(draw.randrange(size) for size in tensor.shape)
    was = tensor[place].clone()
    tensor[place] = _other(was, tensor, draw)
    try:
        return not _same(results(), before)
    except Exception as exc:  # a reference may refuse a value by any exception, and has then read it
        if is_out_of_memory(exc):
            raise torch.OutOfMemoryError(str(exc)) from exc
        return True
    finally:
        tensor[place] = was


def _other(was: torch.Tensor, tensor: torch.Tensor, draw: random.Random) -> torch.Tensor:
    """A NaN, or of integers one of the others, which the reference takes."""
    if was.is_floating_point() or was.is_complex():
        return torch.full_like(was, math.nan)
    if was.dtype == torch.bool:
        return ~was
    return tensor[tuple(draw.randrange(size) for size in tensor.shape)]


def _same(one: Sequence[torch.Tensor], other: Sequence[torch.Tensor]) -> bool:
    return len(one) == len(other) and all(map(same_bits, one, other))
