"""What samples say of two programs: ratios with intervals, noise, and a verdict that neither flatters nor slanders."""

from __future__ import annotations

import random

import pytest

from kernelgate.timing.statistics import (
    ABSOLUTE_RESOLUTION_S,
    RELATIVE_RESOLUTION,
    Group,
    Interval,
    noise_band,
    quartiles,
    resolution,
    speed,
    thinned,
    verdict,
)


def groups(
    count: int,
    ratio: float,
    *,
    seed: int,
    noise: float = 0.002,
    drift: float = 0.0,
    apart: float = 0.0,
    median_s: float = 1e-3,
) -> list[Group]:
    """Groups of a candidate that is `ratio` times as fast, on a device whose clock drifts. `apart`: how much each of
    the two processes is faster or slower for the length of a group."""
    draw = random.Random(seed)

    def both(once: float, number: int) -> tuple[list[float], list[float]]:
        once *= 1 + draw.gauss(0, apart)
        return block(once, number), block(once, number)

    def block(once: float, number: int) -> list[float]:
        place = draw.gauss(0, noise)  # where its memory lies, the same for a whole block
        return [once * (1 + drift * number + place + abs(draw.gauss(0, noise))) for _ in range(30)]

    return [
        Group(reference=both(median_s, n), candidate=both(median_s / ratio, n)) for n in range(count)
    ]


def test_quartiles_are_those_of_the_sorted_samples() -> None:
    assert quartiles([5.0, 1.0, 3.0, 2.0, 4.0]) == (2.0, 3.0, 4.0)
    assert quartiles([7.0]) == (7.0, 7.0, 7.0)


def test_thinning_keeps_order_and_spread() -> None:
    assert thinned([1.0, 2.0], 5) == [1.0, 2.0]
    assert thinned([float(n) for n in range(100)], 4) == [0.0, 25.0, 50.0, 75.0]


@pytest.mark.parametrize(("ratio", "expected"), [(1.05, "FASTER"), (0.95, "SLOWER"), (1.0, "SAME")])
def test_a_difference_is_said_with_its_direction(ratio: float, expected: str) -> None:
    taken = groups(12, ratio, seed=1)
    found = speed(taken)
    assert found.low <= found.value <= found.high
    assert found.value == pytest.approx(ratio, rel=0.005)
    assert verdict(found, noise_band(taken)) == expected


def test_a_drift_of_the_clock_falls_on_both_alike() -> None:
    taken = groups(16, 1.0, seed=2, drift=0.01)
    assert verdict(speed(taken), noise_band(taken)) == "SAME"


@pytest.mark.drawn
def test_a_program_against_itself_is_neither_faster_nor_slower() -> None:
    verdicts = [verdict(speed(g), noise_band(g)) for g in (groups(8, 1.0, seed=n) for n in range(200))]
    assert verdicts.count("FASTER") + verdicts.count("SLOWER") <= 1, verdicts


@pytest.mark.drawn
def test_a_few_groups_show_no_difference_where_two_equal_processes_differ_by_chance() -> None:
    taken = [groups(3, 1.0, seed=n, apart=0.01) for n in range(200)]
    verdicts = [verdict(speed(one), noise_band(one)) for one in taken]
    assert verdicts.count("FASTER") + verdicts.count("SLOWER") <= 4, verdicts


@pytest.mark.drawn
def test_two_percent_are_seen() -> None:
    verdicts = [verdict(speed(g), noise_band(g)) for g in (groups(8, 0.98, seed=n) for n in range(100))]
    assert verdicts.count("SLOWER") >= 95, verdicts


def test_a_wide_interval_that_holds_one_is_unclear() -> None:
    assert verdict(Interval(1.01, 0.97, 1.06), 1.01) == "UNCLEAR"
    assert verdict(Interval(1.004, 1.001, 1.006), 1.01) == "SAME"


def test_an_interval_that_touches_the_noise_band_is_no_difference() -> None:
    assert verdict(Interval(1.02, 1.009, 1.03), 1.01) != "FASTER"
    assert verdict(Interval(1.02, 1.011, 1.03), 1.01) == "FASTER"
    assert verdict(Interval(0.98, 0.97, 1 / 1.009), 1.01) != "SLOWER"


def test_nothing_finer_is_distinguished_than_clocks_and_memory_allow() -> None:
    still = groups(8, 1.0, seed=3, noise=0.0)
    assert noise_band(still) == resolution(still) == 1 + RELATIVE_RESOLUTION + ABSOLUTE_RESOLUTION_S / 1e-3
    short = groups(8, 1.0, seed=3, noise=0.0, median_s=5e-6)
    assert resolution(short) == pytest.approx(1 + RELATIVE_RESOLUTION + ABSOLUTE_RESOLUTION_S / 5e-6)


def test_the_band_is_as_wide_as_the_reference_differs_from_itself() -> None:
    assert noise_band(groups(8, 1.0, seed=4, noise=0.05)) > 1.02
