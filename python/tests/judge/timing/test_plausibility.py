"""A call cannot be shorter than reading its input takes on the device."""

from __future__ import annotations

from kernelgate.judge.timing.plausibility import impossible_time

COPY = 4e12  # bytes a second
BYTES = 4_000_000_000  # 1 ms of them


def test_a_call_that_ends_before_its_input_can_have_been_read_ends_the_run() -> None:
    end = impossible_time(0.5e-3, BYTES, COPY)
    assert end is not None and end.kind == "wrong"
    assert end.sentence == "Impossible time: 500 µs, and reading the input alone takes 998 µs"
    assert end.failure is not None and end.failure.stage == "time"


def test_a_call_may_be_a_tenth_faster_than_the_measured_copy_and_a_small_one_as_short_as_it_is() -> None:
    assert impossible_time(0.9e-3, BYTES, COPY) is None
    assert impossible_time(0.89e-3, BYTES, COPY) is not None
    assert impossible_time(1e-6, 4096, COPY) is None
