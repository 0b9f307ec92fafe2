"""Statistics of samples: medians, the interval of a ratio, the noise of the reference against itself, a verdict on
speed.

In: seconds, in groups that were taken together. Out: numbers and a `SpeedVerdict`.
Samples of one block resemble each other (same clock, same memory), so it resamples whole groups, never single samples:
the interval is then as wide as the groups differ. With few groups a bootstrap's interval is too narrow, because they
differ less from each other than from groups that were not taken. It is widened as Student's t is, as in
T. Hesterberg, "What Teachers Should Know About the Bootstrap" (2015), section 4.1.3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch.nn.functional import one_hot

from kernelgate.report.measured import SpeedVerdict

# Nothing smaller than both together counts as a difference. Processes that do the same differ by as much for as long
# as they live (docs/measuring.md), and CUDA's manual gives events "a resolution of around 0.5 microseconds"
# (cudaEventElapsedTime).
RELATIVE_RESOLUTION = 0.005
ABSOLUTE_RESOLUTION_S = 0.5e-6
SAME_WIDTH = 0.02

_RESAMPLES = 2000
_NORMAL = 1.960  # the 97.5 % quantile, and those of Student's t with 1, 2, ... degrees of freedom
_STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
_SAMPLES_OF_A_GROUP = 64


@dataclass(frozen=True)
class Group:
    """Blocks of samples that were taken in turn: reference and candidate, twice each."""

    reference: tuple[list[float], list[float]]
    candidate: tuple[list[float], list[float]]


@dataclass(frozen=True)
class Interval:
    """A ratio with its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def width(self) -> float:
        """Relative to the ratio."""
        return (self.high - self.low) / self.value


def quartiles(samples: Sequence[float]) -> tuple[float, float, float]:
    """First quartile, median and third quartile; of at least one sample."""
    q = torch.tensor([0.25, 0.5, 0.75], dtype=torch.float64)
    low, middle, high = torch.quantile(torch.tensor(samples, dtype=torch.float64), q).tolist()
    return low, middle, high


def thinned(samples: Sequence[float], most: int) -> list[float]:
    """At most so many of them, evenly spaced and in order."""
    if len(samples) <= most:
        return list(samples)
    return [samples[i * len(samples) // most] for i in range(most)]


def speed(groups: Sequence[Group]) -> Interval:
    """Reference over candidate: the ratio of medians, above 1 where the candidate is faster."""
    return _ratio([(_both(g.reference), _both(g.candidate)) for g in groups])


def resolution(groups: Sequence[Group]) -> float:
    """The smallest ratio above 1 that can be distinguished from 1 at these times."""
    _low, median, _high = quartiles([s for g in groups for s in _both(g.reference)])
    return 1 + RELATIVE_RESOLUTION + ABSOLUTE_RESOLUTION_S / median


def noise_band(groups: Sequence[Group]) -> float:
    """How far from 1 the reference against itself comes, as a ratio above 1; never below the resolution."""
    # Early and late block swap places from group to group, so that a drift does not look like noise in favour of one.
    pairs = [(g.reference[i % 2], g.reference[1 - i % 2]) for i, g in enumerate(groups)]
    own = _ratio(pairs)
    return max(own.high, 1 / own.low, resolution(groups))


def verdict(interval: Interval, band: float) -> SpeedVerdict:
    """FASTER or SLOWER where the whole interval lies outside of the band; SAME where it overlaps it and is narrow."""
    if interval.low > band:
        return "FASTER"
    if interval.high < 1 / band:
        return "SLOWER"
    return "SAME" if interval.width < SAME_WIDTH else "UNCLEAR"


def _both(blocks: tuple[list[float], list[float]]) -> list[float]:
    return [*blocks[0], *blocks[1]]


def _ratio(pairs: Sequence[tuple[list[float], list[float]]]) -> Interval:
    """For groups of two sets of samples: the median of the first over that of the second."""
    above = _median_of([s for first, _ in pairs for s in first])
    below = _median_of([s for _, second in pairs for s in second])
    generator = torch.Generator().manual_seed(len(pairs))
    chosen = torch.randint(len(pairs), (_RESAMPLES, len(pairs)), generator=generator)
    ratios = _medians([p[0] for p in pairs], chosen) / _medians([p[1] for p in pairs], chosen)
    low, high = torch.quantile(ratios, torch.tensor([0.025, 0.975], dtype=torch.float64)).tolist()
    value = above / below
    wider = _widening(len(pairs))
    return Interval(value, value * min(1.0, low / value) ** wider, value * max(1.0, high / value) ** wider)


def _widening(groups: int) -> float:
    """The factor by which the logarithm of an interval from so many groups is too narrow."""
    if groups < 2:
        return 1.0
    freedom = groups - 1
    # Beyond the table: the first terms of the quantile's expansion, Abramowitz and Stegun 26.7.5.
    beyond = _NORMAL + (_NORMAL**3 + _NORMAL) / (4 * freedom)
    student = _STUDENT[freedom - 1] if freedom <= len(_STUDENT) else beyond
    return student / _NORMAL * math.sqrt(groups / freedom)


def _median_of(samples: Sequence[float]) -> float:
    return quartiles(samples)[1]


def _medians(blocks: Sequence[list[float]], chosen: torch.Tensor) -> torch.Tensor:
    """The median of every resample, the lower one of two; shape (resamples,), float64.

    A resample's samples in order are all groups' samples in order, each as often as its group was drawn: no resample
    has to be sorted.
    """
    size = min(_SAMPLES_OF_A_GROUP, *(len(block) for block in blocks))
    table = torch.tensor([thinned(block, size) for block in blocks], dtype=torch.float64)
    values, order = table.flatten().sort()
    times_drawn = one_hot(chosen, len(blocks)).sum(1)
    up_to_here = one_hot(order // size, len(blocks)).cumsum(0)  # samples of each group
    rank = times_drawn.float() @ up_to_here.float().t()
    middle = torch.full((len(rank), 1), (len(values) - 1) // 2, dtype=rank.dtype)
    return values[torch.searchsorted(rank, middle, right=True).squeeze(1)]
