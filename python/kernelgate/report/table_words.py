"""Cells of the tables of what was measured, in words.

In: parts of a `Timing` or a `Profile`. Out: short phrases that HTML and the record share.
Not here: what a timing comes to (`report.speed_words`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kernelgate.report import numbers, speed_words
from kernelgate.report.measured import BuildFacts, Clock, KernelFacts, SweepPoint, Timing


class SizeRow(NamedTuple):
    """A size of a sweep, in words: its shape, both times, the speed and its interval."""

    program: str
    time: str
    reference: str
    against: str
    interval: str


def clock_times(timing: Timing) -> list[str]:
    return numbers.durations([clock.seconds or 0.0 for clock in timing.clocks])


def clock_against(clock: Clock) -> str:
    """device events 3.015 ms: those around the same calls"""
    return f"device events {numbers.duration(clock.against_s, 4)}" if clock.against_s else ""


def occupancy(facts: KernelFacts | BuildFacts) -> str:
    """50%, limited by registers"""
    if facts.occupancy is None:
        return ""
    limit = f", limited by {facts.occupancy_limit}" if facts.occupancy_limit else ""
    return f"{numbers.share(facts.occupancy)}{limit}"


def size_rows(points: Sequence[SweepPoint]) -> list[SizeRow]:
    """Every size of a sweep, in its order; columns with one unit each."""
    ours = numbers.durations([point.candidate_s for point in points], 3)
    theirs = numbers.durations([point.reference_s for point in points], 3)
    digits = numbers.ratio_digits(*(point.ratio for point in points))
    return [
        SizeRow(
            point.shape,
            our,
            their,
            speed_words.ratio_words(point.ratio, point.verdict, digits),
            speed_words.interval(point, numbers.ratio_digits(point.low, point.ratio, point.high)),
        )
        for point, our, their in zip(points, ours, theirs, strict=True)
    ]
