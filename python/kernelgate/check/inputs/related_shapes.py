"""The shapes of several inputs when one of them is given another: shared dimensions vary together.

In: the inputs' own shapes, and a new one for one of them. Out: what all of them could be, the likeliest first; which of
these the reference takes is for the judge to ask.
"""

from __future__ import annotations

from collections.abc import Sequence

Shape = tuple[int, ...]


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
