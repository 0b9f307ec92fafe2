"""The clocks as the worker reads them, on a GPU."""

from __future__ import annotations

import time

import pytest
import torch

from kernelgate.timing.clocks import Flush, _launched_in_time, following_calls, single_calls, span_of


@pytest.mark.gpu
def test_of_single_calls_only_the_one_asked_for_has_its_result_kept() -> None:
    device = torch.device("cuda")
    x = torch.zeros(1 << 20, device=device)
    counted = iter(range(10))
    reading = single_calls(
        lambda: x + next(counted),
        10,
        before=None,
        flush=Flush(1 << 20, device),
        keep=3,
        as_seen=torch.clone,
        launch_s=1e-4,
    )
    assert 5 < len(reading.each_s) <= 10 and min(reading.each_s) > 0
    assert reading.kept.unique().tolist() == [3.0]


@pytest.mark.gpu
def test_a_call_that_a_busy_host_launches_late_does_not_count() -> None:
    device = torch.device("cuda")
    x = torch.zeros(1 << 10, device=device)
    number = iter(range(40))

    def call() -> torch.Tensor:
        first = x + 1
        if next(number) % 4 == 0:
            time.sleep(0.02)
        return first + 1

    call()
    flush = Flush(1 << 20, device)
    reading = single_calls(call, 20, before=None, flush=flush, keep=-1, as_seen=torch.clone, launch_s=1e-4)
    assert 10 < len(reading.each_s) <= 15
    assert max(reading.each_s) < 0.01


@pytest.mark.parametrize(("in_time", "left"), [("1101", [1.0, 2.0, 4.0]), ("1100", [1.0, 2.0, 3.0, 4.0])])
def test_calls_launched_late_are_left_out_unless_most_are(in_time: str, left: list[float]) -> None:
    assert _launched_in_time([1.0, 2.0, 3.0, 4.0], [one == "1" for one in in_time]) == left


@pytest.mark.gpu
def test_readings_of_calls_that_follow_each_other_hold_no_memory() -> None:
    x = torch.zeros(1 << 20, device="cuda")
    held = torch.cuda.memory_allocated()
    readings = [following_calls(lambda: x + 1, 3) for _ in range(4)]
    assert torch.cuda.memory_allocated() == held
    assert all(reading.kept is None for reading in readings)


@pytest.mark.gpu
def test_a_single_call_shows_what_another_stream_does_behind_it() -> None:
    x = torch.zeros(1 << 24, device="cuda")
    behind = torch.cuda.Stream()

    def leaves_a_copy_behind() -> None:
        torch.mul(x, 2)
        behind.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(behind):
            torch.mul(x, 2)

    for call, outlasts in ((lambda: torch.mul(x, 2), False), (leaves_a_copy_behind, True)):
        call()
        span = span_of(call, 1)
        assert span is not None
        traced, events = span
        assert (traced > 1.5 * events) is outlasts
