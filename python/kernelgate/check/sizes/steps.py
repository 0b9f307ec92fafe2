"""The next values of a size: smaller ones that leave the same remainders, and others that leave different ones.

In: a size. Out: values, the best first. A kernel divides its work by warps, tiles and vectors: what decides whether it
has a last part is the remainder by 32, or by 4 if the size is small.
"""

from __future__ import annotations

from collections.abc import Collection

BLOCK = 1024
"""The threads that a block has at most."""
_WARP = 32
_VECTOR = 4
_FEW = 6


def smaller(value: int, floor: int, taken: Collection[int] = ()) -> list[int]:
    """About half a size, none below `floor` and none in `taken`; first what leaves the remainder by 32 that it leaves,
    and below 32 or if there is none, the remainder by 4, then by 2."""
    found: list[int] = []
    for unit in (_WARP, _VECTOR, 2):
        if unit == _WARP and value <= _WARP:
            continue
        for number in _congruent(value, unit):
            if floor <= number < value and number not in taken and number not in found:
                found.append(number)
    return found[:_FEW]


def _congruent(value: int, unit: int) -> list[int]:
    """The nearest to half of a size that leave its remainder; a power of two stays one, if it can."""
    half = value // 2
    nearest = half - (half - value) % unit
    near = [nearest + k * unit for k in (-2, -1, 0, 1, 2)]
    near = sorted((number for number in near if number > 0), key=lambda number: (abs(number - half), number))
    return [half, *near] if value & (value - 1) == 0 and half else near


def other_remainders(value: int, taken: Collection[int] = ()) -> list[int]:
    """Sizes near this one that leave other remainders by 32 and, where they can, by 4 and 2."""
    steps = (1, -1, 3, 5, 2, -2, 6, 4, -4, 8, -8, 12, 16, -16)
    return [value + step for step in steps if value + step >= 1 and value + step not in taken]


def above(value: int, bound: int, *, is_tile: bool) -> int | None:
    """The smallest size above a bound that leaves the remainder of a larger one, by the power of two that divides it
    and by 32. None for a size that is not above."""
    if value <= bound:
        return None
    largest = max(_WARP, bound if is_tile else bound // 4)  # no tile divides a number that only bounds
    unit = min(max(value & -value, _WARP), largest)
    return bound + 1 + (value - bound - 1) % unit
