"""A reference and a candidate that draw different random numbers: whether both results have one distribution.

In: calls of both with several states of the random generators. Out: words for what differs, or None. It compares
mean, mean square and share of zeros, and allows for how much these vary from call to call of the reference. Where the
reference's elements take few values (a mask), each of the candidate's must be one of those.
Elements that are infinite or NaN in the reference are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

CANDIDATE_CALLS = 6
_REFERENCE_CALLS = 32
# Standard deviations. Three statistics of six calls: by chance once in ten million runs.
_FURTHEST = 6.0
_NEAR = 1e-4
_MOST_STRAY = 1e-3
_REPEATS = 16  # of each number, on the average, where all that there are have been seen

Call = Callable[[int], torch.Tensor]


def differs_in_distribution(reference: Call, candidate: Call, seed: int) -> str | None:
    """Half a sentence, None where the two agree. `reference`, `candidate`: one result for a seed, not complex."""
    first = reference(seed)
    whole = not first.is_floating_point()
    near = _NEAR if whole else max(_NEAR, 4 * torch.finfo(first.dtype).eps)
    right = [first.double(), *(reference(seed + number).double() for number in range(1, _REFERENCE_CALLS))]
    got = [candidate(seed + number).double() for number in range(CANDIDATE_CALLS)]
    if any(one.shape != right[0].shape for one in got):
        return "its random results have another shape"
    finite = torch.stack(right).isfinite().all(dim=0)
    right, got = ([one[finite] for one in side] for side in (right, got))
    if not torch.equal(right[0], right[1]) and all(torch.equal(got[0], one) for one in got[1:]):
        return "its result is the same in every call, and the reference's is random"
    for name, statistic in _STATISTICS:
        off = _off([statistic(one) for one in right], [statistic(one) for one in got])
        if off is not None:
            return f"{name} of its random results is {off[0]:.4g}, the reference's {off[1]:.4g}"
    stray = _stray_numbers(right, got) if whole else _stray(right, got, near)
    if stray > _MOST_STRAY:
        return f"{stray:.1%} of its random results are values that the reference does not give"
    return None


_STATISTICS: tuple[tuple[str, Callable[[torch.Tensor], float]], ...] = (
    ("the mean", lambda tensor: float(tensor.mean())),
    ("the mean square", lambda tensor: float((tensor * tensor).mean())),
    ("the share of zeros", lambda tensor: float((tensor == 0).double().mean())),
)


def _off(right: Sequence[float], got: Sequence[float]) -> tuple[float, float] | None:
    """Both means, where they differ by more than chance allows."""
    expected, spread = _mean_and_spread(right)
    mean, _ = _mean_and_spread(got)
    error = spread * (1 / len(got) + 1 / len(right)) ** 0.5 + _NEAR * abs(expected) / _FURTHEST
    return (mean, expected) if not abs(mean - expected) <= _FURTHEST * error else None


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
    """The share of the candidate's elements other than 0 that no call of the reference gave; 0 for a reference whose
    elements hardly ever repeat."""
    seen = torch.stack(list(right))
    again = (seen[1:] == seen[0]).any(dim=0).double().mean() if seen.numel() else torch.tensor(0.0)
    if float(again) < 0.9:
        return 0.0
    strays, total = 0, 0
    for one in got:
        known = ((seen - one).abs() <= near * one.abs()).any(dim=0) | (one == 0)
        strays += int((~known).sum())
        total += one.numel()
    return strays / max(1, total)
