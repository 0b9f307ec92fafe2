"""A reference and a candidate that draw different random numbers: whether both results have one distribution.

In: calls of both with several states of the random generators, never the same: a program that makes its numbers of the
generator's by another formula would go with or against them. Out: a record of what differs, or None. Of each result it
compares mean, mean square and share of zeros, the means of single elements, the shape of the distribution by the ranks
of elements among the reference's, how elements go together, and of whole numbers how often each is drawn in a row; then
how results go together, two of a call and one of two calls. It allows for how much these vary from call to call of the
reference. If the reference's elements take few values (a
mask), the candidate's must be hardly ever others.
Elements that are infinite or NaN in a call are left out.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import torch

from kernelgate.check.tolerance.numerics import as_real
from kernelgate.judge.reference.expected import REFERENCE_CALLS
from kernelgate.report.wrong_results import OtherMoment, OtherRandom, Strays, Wrong

CANDIDATE_CALLS = {"some": 6, "many": 32}
"""Many at the problem's own inputs, if a call takes no time."""
_OF_REFERENCE = {"some": REFERENCE_CALLS, "many": 128}
_CALLS_THAT_SHOW = 32  # of those; the others are held against what they show, as the candidate's are
# Standard deviations. Three statistics of six calls: by chance once in ten million runs.
_FURTHEST = 6.0
_FURTHEST_OF_FEW = 8.0  # of fewer calls
_FURTHEST_OF_PAIRS = 24.0  # of pairs of them: a square of one number has longer tails
_BY_CHANCE = 1e-7
_MOST_CALLS = 96  # that show a constant result
_MOST_NUMBERS = 1 << 22
_MOST_RANKED = 1 << 18  # elements
_MOST_TOGETHER = 1 << 20
_OTHER_SEEDS = 10_007
_NEAR = 1e-4
_SAME = 1e-6
_SPREAD_OF_A_PLACE = 0.25  # at most, of one element's
_MOST_STRAY = 1e-3
_ENOUGH_TO_DEPEND = 64  # elements: the mean of fewer products has long tails
_REPEATS = 16  # of each number, on the average, if all that there are have been seen

Calls = Callable[[int], Sequence[torch.Tensor]]
Call = Callable[[int], torch.Tensor]


def differs_in_distribution(
    reference: Calls, candidate: Calls, seed: int, random: Sequence[int] = (0,), calls: Literal["some", "many"] = "some"
) -> tuple[int, Wrong] | None:
    """None if the two agree, else which result does not. `reference`, `candidate`: the results for a seed, of which
    those of the numbers `random` go by it."""
    right = [reference(seed + number) for number in range(_OF_REFERENCE[calls])]
    got = [candidate(seed + _OTHER_SEEDS + number) for number in range(CANDIDATE_CALLS[calls])]
    if any([one.dtype for one in results] != [one.dtype for one in right[0]] for results in got):
        return random[0], OtherRandom("form")
    for number in random:

        def again(call: int, number: int = number) -> torch.Tensor:
            return as_real(candidate(seed + _OTHER_SEEDS + call)[number])

        ours, theirs = ([as_real(one[number]) for one in side] for side in (right, got))
        found = _result_differs(ours, theirs, again)
        if found is not None:
            return number, found
    return _results_depend(right, got, random)


def _result_differs(right: Sequence[torch.Tensor], got: Sequence[torch.Tensor], again: Call) -> Wrong | None:
    whole = not right[0].is_floating_point()
    near = _NEAR if whole else max(_NEAR, 4 * torch.finfo(right[0].dtype).eps)
    rows = right[0].numel() // right[0].shape[-1] if right[0].dim() and right[0].numel() else 1
    right, got = ([one.double() for one in side] for side in (right, got))
    if len({one.shape for one in (*right, *got)}) > 1:
        return _moments(right, got)
    ours, theirs = ([float((~one.isfinite()).double().mean()) for one in side] for side in (right, got))
    if (off := _off(ours, theirs)) is not None:
        return OtherMoment("the share of infinite and NaN elements", *off)
    finite = torch.stack([*right, *got]).isfinite().all(dim=0)
    if not bool(finite.any()):
        return None
    shape = tuple(finite.shape) if bool(finite.all()) else (int(finite.sum()),)
    right, got = ([one[finite] for one in side] for side in (right, got))
    if _is_constant(right, got, lambda number: again(number).double()[finite]):
        return OtherRandom("constant")
    if (moment := _moments(right, got)) is not None:
        return moment
    found = _places(right, got) or _ranks(right, got, near) or _together(right, got, shape)
    found = found or (_rows(right, got, rows) if whole else None)
    if found is not None:
        return found
    stray = _stray_numbers(right, got) if whole else _stray(right, got, near)
    return Strays(stray) if stray > _MOST_STRAY else None


def _is_constant(right: Sequence[torch.Tensor], got: Sequence[torch.Tensor], again: Call) -> bool:
    """Whether a candidate gives one result, as chance alone would hardly make a random one do: where the reference
    often gives the same, as with few elements, it takes more calls to say so."""
    if _all_equal(right[0], right[1:]) or not _all_equal(got[0], got[1:]):
        return False
    most = int(torch.stack(list(right)).unique(dim=0, return_counts=True)[1].max())
    share = (most + 2 * most**0.5) / len(right)  # the most that the likeliest result comes up, with some room
    calls = 1 + math.log(_BY_CHANCE) / math.log(share) if share < 1 else math.inf
    return calls <= _MOST_CALLS and _all_equal(got[0], map(again, range(len(got), math.ceil(calls))))


def _all_equal(one: torch.Tensor, others: Iterable[torch.Tensor]) -> bool:
    return all(torch.equal(one, other) for other in others)


def _moments(right: Sequence[torch.Tensor], got: Sequence[torch.Tensor]) -> OtherMoment | None:
    """Of results that may have different sizes."""
    for name, statistic in _STATISTICS:
        off = _off([statistic(one) for one in right], [statistic(one) for one in got])
        if off is not None:
            return OtherMoment(name, *off)
    return None


_STATISTICS: tuple[tuple[str, Callable[[torch.Tensor], float]], ...] = (
    ("the size", lambda tensor: float(tensor.numel())),
    ("the mean", lambda tensor: float(tensor.mean())),
    ("the mean square", lambda tensor: float((tensor * tensor).mean())),
    ("the share of zeros", lambda tensor: float((tensor == 0).double().mean())),
)


def _places(right: Sequence[torch.Tensor], got: Sequence[torch.Tensor]) -> OtherRandom | None:
    """Where the elements differ from each other in the mean, or in the mean square, as what is drawn by probabilities
    does, the candidate's do so too."""
    for power in (1, 2):
        usual = torch.stack([one**power for one in right[:_CALLS_THAT_SHOW]]).mean(dim=0)
        usual = usual - usual.mean()
        if _goes_otherwise(lambda one: float((one**power) @ usual), right, got):  # noqa: B023
            return OtherRandom("means" if power == 1 else "squares")
    return None


def _ranks(right: Sequence[torch.Tensor], got: Sequence[torch.Tensor], near: float) -> OtherRandom | None:
    """Each element's place among what some of the reference's calls have there: how far out it lies, and how often
    farther than all of them. Numbers so near that rounding parts them count as equal."""
    step = max(1, right[0].numel() // _MOST_RANKED)
    seen = torch.stack([one.reshape(-1)[::step] for one in right[:_CALLS_THAT_SHOW]])
    if not seen.numel():
        return None

    def places(one: torch.Tensor) -> torch.Tensor:
        mine = one.reshape(-1)[::step]
        off = mine - seen
        off = torch.where(off.abs() <= near * mine.abs(), 0.0, off)
        return off.sign().mean(dim=0) / 2

    statistics: tuple[Callable[[torch.Tensor], torch.Tensor], ...] = (
        lambda one: places(one),
        lambda one: places(one).abs(),
        lambda one: (places(one).abs() == 0.5).double(),
    )
    for statistic in statistics:
        ours, theirs = ([float(statistic(one).mean()) for one in side] for side in (right[_CALLS_THAT_SHOW:], got))
        if _off(ours, theirs, _FURTHEST_OF_FEW, _SPREAD_OF_A_PLACE / seen.shape[1] ** 0.5) is not None:
            return OtherRandom("ranks")
    return None


def _together(right: Sequence[torch.Tensor], got: Sequence[torch.Tensor], shape: tuple[int, ...]) -> OtherRandom | None:
    """Whether elements go together as the reference's do, along each dimension: the sums, and the products with the
    element beside it, half the dimension away, and at a place drawn once; of what is left when the mean is taken away,
    and of its squares, as a mask has signs of its input."""
    if not shape or not right[0].numel():
        return None
    kept = max(min(2, shape[0]), shape[0] * _MOST_TOGETHER // max(_MOST_TOGETHER, right[0].numel()))
    ours, theirs = ([one.view(shape)[:kept] for one in side] for side in (right, got))
    usual = torch.stack(ours[:_CALLS_THAT_SHOW]).mean(dim=0)
    squares = torch.stack([(one - usual) ** 2 for one in ours[:_CALLS_THAT_SHOW]]).mean(dim=0)
    makes: tuple[Callable[[torch.Tensor], torch.Tensor] | None, ...] = (
        lambda one: one - usual,
        lambda one: (one - usual) ** 2 - squares,
        None,
    )
    for make in makes:
        made = [[make(one) if make else one for one in side] for side in (ours[_CALLS_THAT_SHOW:], theirs)]
        for ways in zip(*(zip(*map(_neighbours, side), strict=True) for side in made), strict=True):
            # A rotation leaves all products as they are, and a permutation does not.
            if _stands_still(*ways) if make is None else _off(*_tamed(*ways), _FURTHEST_OF_FEW) is not None:
                return OtherRandom("together")
    return None


def _neighbours(one: torch.Tensor) -> list[float]:
    generator = torch.Generator().manual_seed(one.numel())
    found = []
    for dim in [number for number, size in enumerate(one.shape) if size > 1]:
        size = one.shape[dim]
        found += [one.sum(dim).square().mean(), (one * one.roll(1, dim)).mean()]
        if size > 3:
            drawn = torch.randperm(size, generator=generator).to(one.device)
            found += [(one * one.roll(size // 2, dim)).mean(), (one * one.index_select(dim, drawn)).mean()]
    return [float(mean) for mean in found]


def _tamed(right: Sequence[float], got: Sequence[float]) -> tuple[list[float], list[float]]:
    """The same without the long tails that means of squares and products have, whose spread few calls do not show."""
    usual = sum(map(abs, right)) / len(right) or 1.0
    ours, theirs = ([math.asinh(value / usual) for value in side] for side in (right, got))
    return ours, theirs


def _stands_still(right: Sequence[float], got: Sequence[float]) -> bool:
    """Whether a number is the same in every call, and in no two of the reference's."""
    return len(set(right)) == len(right) and max(got) - min(got) <= _SAME * (max(right) - min(right))


def _results_depend(
    right: Sequence[Sequence[torch.Tensor]], got: Sequence[Sequence[torch.Tensor]], random: Sequence[int]
) -> tuple[int, OtherRandom] | None:
    """Whether results of one shape go together as the reference's do not: two of a call, or one of two calls."""
    sizes = {number: {one[number].shape for one in (*right, *got)} for number in random}
    left = [at for at in random if len(sizes[at]) == 1 and right[0][at].numel() >= _ENOUGH_TO_DEPEND]
    apart = {number: _apart_from_usual([[one[number] for one in side] for side in (right, got)]) for number in left}
    for number, (ours, theirs) in apart.items():
        usual = _products(ours[:-1], ours[1:])
        spread, more = _mean_and_spread(usual)[1], _of_pairs(theirs) - _of_pairs(ours)
        if abs(more) > _FURTHEST_OF_PAIRS * spread * (1 / len(ours) + 1 / len(theirs)) * 2**0.5:
            return number, OtherRandom("calls")
    for number, other in itertools.combinations(left, 2):
        if sizes[number] == sizes[other]:
            ours, theirs = (_products(*pair) for pair in zip(apart[number], apart[other], strict=True))
            off = _off(ours, theirs, _FURTHEST_OF_FEW)
            # Few calls do not show the long tail that a product has, if a whole result is drawn by one number.
            if off is not None and abs(off[0] - off[1]) > 2 * max(abs(one - off[1]) for one in ours):
                return other, OtherRandom("results")
    return None


def _apart_from_usual(sides: Iterable[Sequence[torch.Tensor]]) -> list[list[torch.Tensor]]:
    right, got = ([_wide(one) for one in side] for side in sides)
    usual = torch.stack(right[:_CALLS_THAT_SHOW]).mean(dim=0)
    return [[one - usual for one in side] for side in (right[_CALLS_THAT_SHOW:], got)]


def _products(one: Sequence[torch.Tensor], other: Sequence[torch.Tensor]) -> list[float]:
    return [float((a * b).mean()) for a, b in zip(one, other, strict=True)]


def _of_pairs(calls: Sequence[torch.Tensor]) -> float:
    """The mean product of two of these calls, over all pairs."""
    total = torch.stack(list(calls)).sum(dim=0).square() - sum(one.square() for one in calls)
    return float(total.mean()) / (len(calls) * (len(calls) - 1))


def _wide(one: torch.Tensor) -> torch.Tensor:
    return as_real(one).double().nan_to_num(0.0, 0.0, 0.0)


def _rows(right: Sequence[torch.Tensor], got: Sequence[torch.Tensor], rows: int) -> OtherRandom | None:
    """Of whole numbers, how often each is drawn in each of so many rows."""
    known = torch.cat(list(right)).unique()
    if rows * known.numel() > _MOST_NUMBERS or right[0].numel() % rows:
        return None
    counts = torch.zeros(rows, known.numel(), dtype=torch.float64, device=known.device)

    def places(one: torch.Tensor) -> torch.Tensor:
        return torch.searchsorted(known, one).clamp_max(known.numel() - 1).view(rows, -1)

    for one in right[:_CALLS_THAT_SHOW]:
        counts.scatter_add_(1, places(one), torch.ones_like(one).view(rows, -1))
    if _goes_otherwise(lambda one: float(counts.gather(1, places(one)).mean()), right, got):
        return OtherRandom("counts")
    return None


def _goes_otherwise(
    statistic: Callable[[torch.Tensor], float], right: Sequence[torch.Tensor], got: Sequence[torch.Tensor]
) -> bool:
    """By a statistic that the first of the reference's calls have shown."""
    ours, theirs = ([statistic(one) for one in side] for side in (right[_CALLS_THAT_SHOW:], got))
    return _off(ours, theirs, _FURTHEST_OF_FEW) is not None


def _off(
    right: Sequence[float], got: Sequence[float], furthest: float = _FURTHEST, least: float = 0.0
) -> tuple[float, float] | None:
    """Both means, where they differ by more than chance allows. `least`: of the spread, which few calls may hide."""
    expected, spread = _mean_and_spread(right)
    mean, own = _mean_and_spread(got)  # one of few calls may be far out, as no call of the reference's was
    variance = max(spread, own, least) ** 2 / len(got) + max(spread, least) ** 2 / len(right)
    error = variance**0.5 + _NEAR * abs(expected) / _FURTHEST
    return (mean, expected) if not abs(mean - expected) <= furthest * error else None


def _mean_and_spread(values: Sequence[float]) -> tuple[float, float]:
    mean = sum(values) / len(values)
    return mean, (sum((value - mean) ** 2 for value in values) / max(1, len(values) - 1)) ** 0.5


def _stray_numbers(right: Sequence[torch.Tensor], got: Sequence[torch.Tensor]) -> float:
    """The share of the candidate's whole numbers that no call of the reference gave anywhere; 0 for a reference that
    gives many more than its calls show."""
    known, counts = torch.cat([one.reshape(-1) for one in right]).unique(return_counts=True)
    drawn, draws = sum(one.numel() for one in right), sum(one.numel() for one in got)
    if not 0 < _REPEATS * known.numel() < drawn:
        return 0.0
    strays = sum(int((~torch.isin(one, known)).sum()) for one in got)
    usual = (int((counts == 1).sum()) + 1) / drawn * draws  # as Good and Turing estimate what was never drawn
    beyond = strays - usual - _FURTHEST * math.sqrt(usual)
    return float(beyond / draws)


def _stray(right: Sequence[torch.Tensor], got: Sequence[torch.Tensor], near: float) -> float:
    """The share of the candidate's elements other than 0 that no call of the reference gave, beyond twice what the
    reference's own further calls have of those; 0 for a reference whose elements hardly ever repeat."""
    seen = torch.stack(list(right[:_CALLS_THAT_SHOW]))
    again = (seen[1:] == seen[0]).any(dim=0).double().mean() if seen.numel() else torch.tensor(0.0)
    if float(again) < 0.9:
        return 0.0

    def share(calls: Sequence[torch.Tensor]) -> float:
        known = [((seen - one).abs() <= near * one.abs()).any(dim=0) | (one == 0) for one in calls]
        return float((~torch.stack(known)).double().mean())

    return share(got) - 2 * share(right[_CALLS_THAT_SHOW:])
