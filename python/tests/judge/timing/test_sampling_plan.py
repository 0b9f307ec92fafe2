"""How many calls a block of samples has, for calls of any length."""

from __future__ import annotations

import pytest

from kernelgate.judge.timing.programs_under_test import FEWEST_CALLS, USUAL, SamplingPlan


def test_a_block_of_cold_calls_takes_its_time_and_no_more_calls_than_its_bound() -> None:
    assert USUAL.block("cold", 1e-3).calls == 60
    assert USUAL.block("cold", 5e-6).calls == USUAL.most_cold_calls
    assert USUAL.block("cold", 10.0).calls == FEWEST_CALLS
    assert USUAL.block("cold", 1e-3).repeats == 1


def test_calls_that_follow_each_other_are_taken_in_batches() -> None:
    taken = USUAL.block("warm", 1e-4)
    assert (taken.calls, taken.repeats) == (100, USUAL.batches)
    assert USUAL.block("graph", 0.0).calls == USUAL.most_calls


def test_calls_do_not_count_until_ten_times_the_inputs_can_have_been_cleared() -> None:
    assert USUAL.settle_s(0) == USUAL.least_settle_s
    assert USUAL.settle_s(5 << 30) - USUAL.settle_s(0) == pytest.approx((50 << 30) / 5e11)


def test_another_pace_keeps_the_device_busy_for_longer() -> None:
    assert SamplingPlan(batch_s=0.4, batches=1, most_calls=10_000).block("warm", 1e-3).calls == 400
