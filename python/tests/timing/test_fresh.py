"""New values before every timed call: the same in worker and judge, and different from call to call."""

from __future__ import annotations

import itertools

import torch

from kernelgate.timing.fresh import Fresh


def test_two_processes_make_the_same_values_from_a_seed() -> None:
    one, other = torch.zeros(100_000), torch.zeros(100_000)
    first, second = Fresh([one], 7), Fresh([other], 7)
    for _ in range(5):
        first.next()
        second.next()
    assert torch.equal(one, other)
    assert one.count_nonzero() > 10_000


def test_every_call_gets_other_values() -> None:
    values = torch.zeros(64, 1000)
    fresh = Fresh([values], 1)
    seen = []
    for _ in range(4):
        fresh.next()
        seen.append(values.clone())
    assert all(not torch.equal(a, b) for a, b in itertools.pairwise(seen))


def test_inputs_without_a_dense_floating_tensor_stay_as_they_are() -> None:
    integers, strided = torch.arange(10), torch.zeros(10, 10)[:, ::2]
    Fresh([integers, strided, 3, torch.empty(0)], 1).next()
    assert torch.equal(integers, torch.arange(10))
    assert not strided.any()


def test_a_tensor_smaller_than_a_piece_is_written_whole() -> None:
    values = torch.zeros(5, dtype=torch.float16)
    Fresh([values], 3).next()
    assert values.count_nonzero() == 5
