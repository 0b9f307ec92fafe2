"""Lines that a program has the cache keep: found, given up while the cache is written over, and set aside again."""

from __future__ import annotations

import pytest
import torch

from kernelgate.timing.clocks import Flush, given_up, set_aside


def test_a_process_without_a_context_keeps_nothing() -> None:
    assert set_aside() == 0


@pytest.mark.gpu
def test_what_was_set_aside_is_again_after_a_flush() -> None:
    device = torch.device("cuda")
    flush = Flush(1 << 20, device)
    torch.cuda.synchronize()
    asked = 4 << 20
    with given_up(asked):
        assert set_aside() == 0
    kept = set_aside()  # a driver rounds
    assert kept >= asked
    flush()
    assert set_aside() == kept
    with given_up(0):
        pass
    assert set_aside() == 0
