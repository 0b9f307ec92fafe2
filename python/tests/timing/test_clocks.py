"""The clocks as the worker reads them, on a GPU."""

from __future__ import annotations

import pytest
import torch

from kernelgate.timing.clocks import Flush, following_calls, single_calls


@pytest.mark.gpu
def test_of_single_calls_only_the_one_asked_for_has_its_result_kept() -> None:
    device = torch.device("cuda")
    x = torch.zeros(1 << 20, device=device)
    counted = iter(range(10))
    reading = single_calls(
        lambda: x + next(counted), 10, before=None, flush=Flush(1 << 20, device), keep=3, launch_s=1e-4
    )
    assert len(reading.each_s) == 10 and min(reading.each_s) > 0
    assert reading.kept.unique().tolist() == [3.0]


@pytest.mark.gpu
def test_readings_of_calls_that_follow_each_other_hold_no_memory() -> None:
    x = torch.zeros(1 << 20, device="cuda")
    held = torch.cuda.memory_allocated()
    readings = [following_calls(lambda: x + 1, 3) for _ in range(4)]
    assert torch.cuda.memory_allocated() == held
    assert all(reading.kept is None for reading in readings)
