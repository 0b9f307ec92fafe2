"""A reference and a candidate that draw different random numbers: whether both results have one distribution.

In: calls of both with several states of the random generators. Out: a record of what differs, or None. It compares
mean, mean square and share of zeros, the means of single elements, and of whole numbers how often each is drawn in a
row, and allows for how much these vary from call to call of the reference. Where the reference's elements take few
values (a mask), the candidate's must be hardly ever others.
Elements that are infinite or NaN in the reference are left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import torch

from kernelgate.report.wrong_results import OtherMoment, OtherRandom, Strays, Wrong

CANDIDATE_CALLS = 6
_REFERENCE_CALLS = 48
_CALLS_THAT_SHOW = 32  # of those; the others are held against what they show, as the candidate's are
# Standard deviations. Three statistics of six calls: by chance once in ten million runs.
_FURTHEST = 6.0
_FURTHEST_OF_FEW = 8.0  # of fewer calls
_BY_CHANCE = 1e-7
_MOST_CALLS = 96  # that show a constant result
_MOST_NUMBERS = 1 << 22
_NEAR = 1e-4
_MOST_STRAY = 1e-3
_REPEATS = 16  # of each number, on the average, where all that there are have been seen

Call = Callable[[int], torch.Tensor]


def differs_in_distribution(reference: Call, candidate: Call, seed: int) -> Wrong | None:
    """None where the two agree. `reference`, `candidate`: one result for a seed, not complex."""
    first = reference(seed)
    whole = not first.is_floating_point()
    near = _NEAR if whole else max(_NEAR, 4 * torch.finfo(first.dtype).eps)
    right = [first.double(), *(reference(seed + number).double() for number in range(1, _REFERENCE_CALLS))]
    got = [candidate(seed + number).double() for number in range(CANDIDATE_CALLS)]
    if any(one.shape != right[0].shape for one in got):
        return OtherRandom("shape")
    finite = torch.stack(right).isfinite().all(dim=0)
    right, got = ([one[finite] for one in side] for side in (right, got))
    if _is_constant(right, got, lambda number: candidate(seed + number).double()[finite]):
        return OtherRandom("constant")
    for name, statistic in _STATISTICS:
        off = _off([statistic(one) for one in right], [statistic(one) for one in got])
        if off is not None:
            return OtherMoment(name, *off)
    rows = first.numel() // first.shape[-1] if first.dim() and first.numel() else 1
    if (found := _places(right, got) or (_rows(right, got, rows) if whole else None)) is not None:
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


_STATISTICS: tuple[tuple[str, Callable[[torch.Tensor], float]], ...] = (
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
    right: Sequence[float], got: Sequence[float], furthest: float = _FURTHEST
) -> tuple[float, float] | None:
    """Both means, where they differ by more than chance allows."""
    expected, spread = _mean_and_spread(right)
    mean, _ = _mean_and_spread(got)
    error = spread * (1 / len(got) + 1 / len(right)) ** 0.5 + _NEAR * abs(expected) / _FURTHEST
    return (mean, expected) if not abs(mean - expected) <= furthest * error else None


def _mean_and_spread(values: Sequence[float]) -> tuple[float, float]:
    mean = sum(values) / len(values)
    return mean, (sum((value - mean) ** 2 for value in values) / max(1, len(values) - 1)) ** 0.5


def _stray_numbers(right: Sequence[torch.Tensor], got: Sequence[torch.Tensor]) -> float:
    """The share of the candidate's whole numbers that no call of the reference gave anywhere; 0 for a reference that
    gives many more than its calls show."""
    known = torch.cat([one.reshape(-1) for one in right]).unique()
    if not 0 < _REPEATS * known.numel() < sum(one.numel() for one in right):
        return 0.0
    strays = [float((~torch.isin(one, known)).double().mean()) for one in got]
    return sum(strays) / len(strays)


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
