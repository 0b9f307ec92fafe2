"""The cases of other shapes than the problem's own: odd and empty ones, other ranks, and every size of a block; and the
shapes of several inputs when one of them is given another: shared dimensions vary together.

In: the problem's leading input, as a template, and a seed. Out: plans, which belong to the contract `drop-in`; and what
the shapes of all inputs could be, the likeliest first. Not here: what a plan is and how it is drawn
(`check.inputs.cases`); whether the reference accepts it (the judge asks it).
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import torch

from kernelgate.check.inputs.cases import MOST_DIMENSIONS, Distribution, Plan, case_seed
from kernelgate.check.inputs.kinds import Shape


def drop_in_plans(
    template: torch.Tensor, *, any_shape: bool, seed: int, dtypes: bool = True, elementwise: bool = False
) -> tuple[Plan, ...]:
    """The cases beyond the problem's own shape, dtype and layout. Their sizes follow from `seed`.

    `template`: the leading input; `any_shape`: the reference works element by element, so small odd shapes will do;
    otherwise the last dimension is kept, and the first varies. `dtypes`: another dtype is another computation.
    `elementwise`: of one input, so that a format of 16 bits is tried with every number that it has.
    """
    drawn = random.Random(case_seed(seed, "sizes"))
    if any_shape or template.dim() < 2:
        matrix: tuple[int, ...] = (_odd(drawn, 33, 97), _odd(drawn, 65, 193))
        odd: tuple[int, ...] = (_beside(drawn),)
        none: tuple[int, ...] = (0,)
        row: tuple[int, ...] = (1, matrix[1])
        images: tuple[int, ...] | None = tuple(_odd(drawn, 3, 7) for _ in range(4))
    else:
        rest = tuple(template.shape[1:])
        matrix = (min(template.shape[0], 64), *rest)
        odd = (_odd(drawn, 3, 13), *rest)
        none = (0, *rest)
        row = (1, *rest)
        images = matrix if len(matrix) in (4, 5) else None
    column = (Plan("one column", "drop-in", shape=(matrix[1], 1)),) if any_shape else ()
    last = () if images is None else (Plan("channels last", "drop-in", layout="channels last", shape=images),)
    shapes = (
        Plan("odd size", "drop-in", shape=odd),
        Plan("one row", "drop-in", shape=row),
        *column,
        *_of_other_ranks(template, drawn, any_shape=any_shape),
        *last,
        Plan("empty", "drop-in", shape=none),
        # Of one element each: a program that is wrong on some numbers only must not pass by chance.
        Plan("zero-dimensional", "drop-in", shape=()),
        Plan("zero-dimensional, negative", "drop-in", "negative", shape=()),
        Plan("zero-dimensional, again", "drop-in", shape=()),
        Plan("zero-dimensional, large", "drop-in", "large", shape=()),
        Plan("transposed", "drop-in", layout="transposed", shape=matrix),
        Plan("strided slice", "drop-in", layout="strided slice", shape=matrix),
        Plan("expanded", "drop-in", layout="expanded", shape=matrix),
        Plan("storage offset by one", "drop-in", layout="storage offset by one", shape=odd),
    )
    numbers: Distribution = "every value" if elementwise else "normal"
    in_halves = _rows_for(template, 1 << 16) if elementwise else matrix
    converted = (
        Plan("half", "drop-in", numbers, shape=in_halves, dtype=torch.float16),
        Plan("bfloat16", "drop-in", numbers, shape=in_halves, dtype=torch.bfloat16),
        Plan("double", "drop-in", shape=matrix, dtype=torch.float64),
    )
    return (*shapes, *converted) if dtypes else shapes


def _of_other_ranks(template: torch.Tensor, drawn: random.Random, *, any_shape: bool) -> list[Plan]:
    """One of each rank from 1 to 5 that nothing else has. If not any shape will do, the dimensions behind
    the first are kept: fewer of them, or more before them, as a batch of batches. The reference may refuse it."""
    own, found = tuple(template.shape), []
    for rank in range(1, MOST_DIMENSIONS + 1):
        if any_shape:
            shape = tuple(_odd(drawn, 3, 7) for _ in range(rank))
        elif rank < len(own):
            shape = own[-rank:]
        else:
            rest = own[1:] or own
            # No more rows than the problem has, if it has enough.
            before = [3, 2, *([1] * MOST_DIMENSIONS)][: rank - len(rest)]
            drawn.shuffle(before)
            shape = (*before, *rest)
        if rank != len(own) and not (any_shape and rank == 1):  # which the odd size has
            found.append(Plan(f"rank {rank}", "drop-in", shape=shape))
    return found


_REACH = 1024  # elements of a block of 1,024 threads, or of 256 that take four each
_LONGER_REACHES = (2048, 4096, 8192)


def every_size_plans(template: torch.Tensor, *, any_shape: bool) -> list[Plan]:
    """Cases of every size from 1 to one more than a block of a kernel usually reaches: whatever the remainder, one of
    them has it. Then those beside what longer blocks reach.

    `any_shape`: as for `drop_in_plans`. Otherwise rows, up to more than the problem has, and odd sizes of each other
    dimension, which the reference may refuse.
    """
    if any_shape or template.dim() < 2:
        beside = [reach + more for reach in _LONGER_REACHES for more in (-1, 0, 1)]
        return [Plan("every size", "drop-in", shape=(size,)) for size in (*range(1, _REACH + 2), *beside)]
    own = tuple(template.shape)
    shapes = [(rows, *own[1:]) for rows in range(1, min(own[0], 64) + 34)] + [(own[0] + 1, *own[1:])]
    shapes += [
        (*own[:dim], size, *own[dim + 1 :])
        for dim in range(1, len(own))
        for size in (*range(1, 34, 2), own[dim] - 1, own[dim] + 1)
        if size > 0
    ]
    return [Plan("every size", "drop-in", shape=shape) for shape in shapes]


def _rows_for(template: torch.Tensor, elements: int) -> tuple[int, ...]:
    """The template's shape with as many rows as take that many elements, and two at least."""
    rest = tuple(template.shape[1:])
    return (max(2, -(-elements // max(1, math.prod(rest)))), *rest)


def _odd(drawn: random.Random, least: int, most: int) -> int:
    return drawn.randrange(least, most + 1, 2)


def _beside(drawn: random.Random) -> int:
    """A size of more than 1024 beside a multiple of a vector, a warp, a block or a tile."""
    unit = drawn.choice((4, 32, 128, 1024))
    return 1024 + unit * drawn.randint(0, 1024 // unit) + drawn.choice((1, 2, 3, unit - 1))


def related_shapes(own: Sequence[Shape], leading: int, new: Shape) -> list[list[Shape]]:
    """`leading`: the number of the input that gets the shape `new`. Each answer has a shape for every input."""
    old = own[leading]
    if len(old) != len(new):
        same = [new if shape == old else shape for shape in own]
        alone = [new if number == leading else shape for number, shape in enumerate(own)]
        return _without_repeats([same, alone])
    ways = (_at_its_place, _from_the_right, _by_size)
    found = [
        [new if number == leading else way(shape, old, new) for number, shape in enumerate(own)]
        for way in ways
    ]
    alone = [new if number == leading else shape for number, shape in enumerate(own)]
    return _without_repeats([*found, alone])


def _at_its_place(shape: Shape, old: Shape, new: Shape) -> Shape:
    """Dimensions counted from the left: the batch of one input is that of another."""
    return tuple(
        new[d] if d < len(old) and size == old[d] and old[d] != new[d] else size
        for d, size in enumerate(shape)
    )


def _from_the_right(shape: Shape, old: Shape, new: Shape) -> Shape:
    """Dimensions counted from the right, as broadcasting does."""
    changed = list(shape)
    for d in range(1, min(len(shape), len(old)) + 1):
        if shape[-d] == old[-d]:
            changed[-d] = new[-d]
    return tuple(changed)


def _by_size(shape: Shape, old: Shape, new: Shape) -> Shape:
    """Every dimension of a size that has changed, wherever it stands: the inner ones of a product."""
    becomes = {before: after for before, after in zip(old, new, strict=True) if before != after}
    return tuple(becomes.get(size, size) for size in shape)


def _without_repeats(found: Sequence[list[Shape]]) -> list[list[Shape]]:
    kept: list[list[Shape]] = []
    for one in found:
        if one not in kept:
            kept.append(one)
    return kept
