"""The sizes at which a problem is affordable and still itself.

In: a reference program, and what a call may cost. Out: `Fitted`. The batch is made smaller first, then height, width
and length, then sizes of unknown use, then channels; numbers that the module is built of only if nothing else
helps. Sizes that are equal and of one kind change together; sizes that differ stay different, and keep the
remainders that they have. After each step the reference is tried; a step at which it raises, or that does not help, is
taken back. A kernel divides its work by warps, tiles and vectors: what decides whether it has a last part is the
remainder by 32, or by 4 if the size is small.
"""

from __future__ import annotations

import ast
import functools
import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kernelgate.check.sizes.numbers import Number, Role, numbers_in
from kernelgate.check.sizes.work import Budget, DoesNotRun, Work, elements_of, work_of

BLOCK = 1024
"""The threads that a block has at most."""
_ROUNDS: tuple[tuple[Role, int], ...] = (
    ("batch", 8),
    ("space", 24),
    ("other", 32),
    ("channels", 64),
    ("batch", 4),
    ("space", 12),
    ("channels", 32),
    ("batch", 2),
    ("other", 16),
    ("channels", 16),
    ("space", 8),
    ("structure", 8),
    ("batch", 1),
    ("channels", 8),
)
"""What is made smaller, in this order, and down to what."""
# Trials and their operators, not seconds: a loaded machine must find the same sizes.
_MOST_TRIALS = 100
_MOST_CALLS = 12_000
_FEWEST_TRIALS = 20
_ABOUT = 2.0  # times the budget
_HELPS = 0.99  # of the cost before: a step must save more than this leaves
_FEW = 8  # a smaller number bounds no size
Sizes = Mapping[str, int]


@dataclass(frozen=True)
class Fitted:
    """`sizes`: the numbers that are set, by name. `work`: of one call at them; None if it cannot be counted.
    `steps`: the sizes on the way; the last are `sizes`. `followed`: whether `forward` was tried without
    computing it."""

    sizes: dict[str, int]
    work: Work | None
    steps: tuple[dict[str, int], ...]
    followed: bool


class Search:
    """Over the numbers of one program; those in `fixed` stay. `in_class`: whether those in classes count."""

    def __init__(self, text: str, label: str, fixed: Sizes, *, in_class: Collection[str] = ()) -> None:
        self._text = text
        self._label = label
        self._fixed = dict(fixed)
        self._trials = 0
        self._most_trials = _MOST_TRIALS
        self._work: Callable[[str, str, Sizes], Work] = work_of
        numbers = numbers_in(ast.parse(text))
        self._own = {name: number.value for name, number in numbers.items()}
        self.numbers = {
            name: number
            for name, number in numbers.items()
            if name not in fixed and (not number.in_class or name in in_class)
        }

    def fitted(self, budget: Budget) -> Fitted:
        """The largest sizes that the order of the rounds comes to within a budget, or the smallest that were found."""
        followed = True
        try:
            work = self._tried({})
        except DoesNotRun:
            followed, self._work = False, elements_of
            try:
                work = self._tried({})
            except DoesNotRun:
                return Fitted({}, None, ({},), followed)
        if work.calls:
            self._most_trials = min(_MOST_TRIALS, max(_FEWEST_TRIALS, _MOST_CALLS // work.calls))
        descent = _Descent(self.numbers, self._tried, budget, work)
        for role, floor in _ROUNDS:
            while descent.excess > 1 and self._trials < self._most_trials and descent.step(role, floor):
                pass
        return Fitted(dict(descent.sizes), descent.work, tuple(descent.steps), followed)

    def affordable(self, sizes: Sizes, budget: Budget) -> dict[str, int]:
        """Those of the sizes that are set here, where a call at them costs about the budget at most; else none."""
        if not all(name in self.numbers or self._fixed.get(name) == value for name, value in sizes.items()):
            return {}
        set_here = {name: value for name, value in sizes.items() if name in self.numbers}
        return set_here if self._runs(set_here, budget, _ABOUT) else {}

    def others(self, sizes: Sizes, budget: Budget) -> dict[str, int] | None:
        """Sizes near these that leave other remainders, and at which the reference runs for about the same; None if
        there are none, or where their cost is not known."""
        found = {name: sizes.get(name, number.value) for name, number in self.numbers.items()}
        try:
            at_most = 2 * budget.excess(self._tried(sizes))
        except DoesNotRun:
            return None
        changed = False
        for group in _groups(self.numbers, found, ("batch", "space", "other", "channels")):
            for value in other_remainders(found[group[0]], _taken(self.numbers, found)):
                tried = {**found, **dict.fromkeys(group, value)}
                if self._trials < 2 * self._most_trials and self._runs(tried, budget, at_most):
                    found, changed = tried, True
                    break
        return {name: n for name, n in found.items() if n != self.numbers[name].value} if changed else None

    def may_bound(self, sizes: Sizes) -> list[str]:
        """The numbers that `sizes` leave as they are, and that a size is above in the text and not there."""
        now = {name: sizes.get(name, number.value) for name, number in self.numbers.items()}
        own = {name: number.value for name, number in self.numbers.items()}
        return [
            name
            for name, bound in own.items()
            if now[name] == bound >= _FEW and any(now[other] <= bound < own[other] for other in own if other != name)
        ]

    def above(
        self,
        sizes: Sizes,
        budget: Budget,
        tiles: Sequence[int] = (BLOCK,),
        bounds: Sequence[str] = (),
        most: Budget | None = None,
    ) -> Iterator[tuple[str, int | str, dict[str, int]]]:
        """For each kind of size that is above a bound in the text, and not at `sizes`: its first name, the bound, and
        sizes that keep it above, all others smaller instead. A bound is a number named in `bounds`, or the first of
        `tiles` that does not cost more than the budget. `most`: the budget of those in `bounds`, which decide
        about every element beyond them."""
        values = {name: sizes.get(name, number.value) for name, number in self.numbers.items()}
        for group in _groups(self.numbers, values, ("batch", "space", "other", "channels")):
            tiled = ((tile, self._keeping(group, values, tile, {}, budget)) for tile in tiles)
            found: list[tuple[int | str, dict[str, int] | None]] = [*itertools.islice((t for t in tiled if t[1]), 1)]
            for name in bounds:
                if name not in group:
                    stays = {name: values[name]}
                    found.append((name, self._keeping(group, values, values[name], stays, most or budget)))
            yield from ((group[0], bound, kept) for bound, kept in found if kept is not None)

    def _keeping(
        self, group: Sequence[str], values: Sizes, bound: int, stays: Sizes, budget: Budget
    ) -> dict[str, int] | None:
        """Sizes that keep those of a group above the bound; None if they are there at `values`, or never, or if that
        costs more than the budget."""
        kept = above(self.numbers[group[0]].value, bound, is_tile=not stays)
        if kept is None or values[group[0]] > bound:
            return None
        kept_there = dict.fromkeys(group, kept)
        fixed = {**self._fixed, **kept_there, **stays}
        found = Search(self._text, self._label, fixed, in_class=tuple(self.numbers)).fitted(budget)
        affordable = found.work is not None and found.followed and budget.fits(found.work)
        return {**found.sizes, **kept_there} if affordable else None

    def _tried(self, sizes: Sizes) -> Work:
        self._trials += 1
        own = {name: size for name, size in sizes.items() if size != self._own.get(name)}
        return _remembered(self._work, self._text, self._label, tuple(sorted({**self._fixed, **own}.items())))()

    def _runs(self, sizes: Sizes, budget: Budget, at_most: float) -> bool:
        try:
            return budget.excess(self._tried(sizes)) <= max(_ABOUT, at_most)
        except DoesNotRun:
            return False


@functools.lru_cache(maxsize=2 * _MOST_TRIALS)
def _remembered(
    work: Callable[[str, str, Sizes], Work], text: str, label: str, sizes: tuple[tuple[str, int], ...]
) -> Callable[[], Work]:
    """Gives the work or raises, as a trial did: a run looks for sizes more than once."""
    try:
        found = work(text, label, dict(sizes))
    except DoesNotRun as exc:
        return functools.partial(_refuse, str(exc))
    return lambda: found


def _refuse(why: str) -> Work:
    raise DoesNotRun(why)


@dataclass
class _Descent:
    numbers: Mapping[str, Number]
    tried: Callable[[Sizes], Work]
    budget: Budget
    work: Work
    sizes: dict[str, int] = field(default_factory=dict)
    steps: list[dict[str, int]] = field(default_factory=lambda: [{}])
    _stuck: set[tuple[tuple[str, ...], int, int]] = field(default_factory=set)

    @property
    def excess(self) -> float:
        return self.budget.excess(self.work)

    def step(self, role: Role, floor: int) -> bool:
        """Makes the sizes of a role smaller, all of them where that runs, else one of them; whether any could be."""
        values = {name: self.sizes.get(name, number.value) for name, number in self.numbers.items()}
        groups = [
            g for g in _groups(self.numbers, values, (role,)) if (g, values[g[0]], floor) not in self._stuck
        ]
        return self._together(groups, values, floor) or any(
            self._alone(group, values, floor) for group in groups
        )

    def _together(self, groups: list[tuple[str, ...]], values: Mapping[str, int], floor: int) -> bool:
        """The smallest goes first, so that the next size may take its value."""
        moved = dict(values)
        for group in reversed(groups):
            value = next(iter(smaller(values[group[0]], floor, _taken(self.numbers, moved))), None)
            if value is not None:
                moved.update(dict.fromkeys(group, value))
        return moved != values and self._take(moved)

    def _alone(self, group: tuple[str, ...], values: Mapping[str, int], floor: int) -> bool:
        """The sizes of one kind that are equal, or all that are equal to them: what they are for is a guess."""
        was, now = self.numbers[group[0]].value, values[group[0]]
        equal = tuple(name for name, n in self.numbers.items() if (n.value, values[name]) == (was, now))
        for names in dict.fromkeys((group, equal)):
            for value in smaller(now, floor, _taken(self.numbers, values)):
                if self._take(dict.fromkeys(names, value)):
                    return True
        self._stuck.add((group, now, floor))
        return False

    def _take(self, changes: Sizes) -> bool:
        """The changes, unless the reference raises, costs no less, or normalizes single elements there."""
        sizes = {**self.sizes, **changes}
        try:
            work = self.tried(sizes)
        except DoesNotRun:
            return False
        saves = self.budget.fits(work) or self.budget.excess(work) <= _HELPS * self.excess
        if not saves or work.lone > self.work.lone:
            return False
        self.sizes = {name: value for name, value in sizes.items() if value != self.numbers[name].value}
        self.work = work
        self.steps.append(self.sizes)
        return True


def _taken(numbers: Mapping[str, Number], values: Mapping[str, int]) -> set[int]:
    """What another size must not become. A kernel of 3 and a batch of 3 are not mixed up."""
    return {value for name, value in values.items() if numbers[name].role != "structure"}


def _groups(
    numbers: Mapping[str, Number], values: Mapping[str, int], roles: tuple[Role, ...]
) -> Iterator[tuple[str, ...]]:
    groups: dict[tuple[Role, int, int], list[str]] = {}
    for name, number in numbers.items():
        if number.role in roles:
            groups.setdefault((number.role, number.value, values[name]), []).append(name)
    yield from sorted(map(tuple, groups.values()), key=lambda group: -values[group[0]])


_WARP = 32
_VECTOR = 4
_MOST_VALUES = 6


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
    return found[:_MOST_VALUES]


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
    unit = min(max(value & -value, _WARP), 1 << largest.bit_length() - 1)
    return bound + 1 + (value - bound - 1) % unit
