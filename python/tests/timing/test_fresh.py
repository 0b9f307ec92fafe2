"""New values before every timed call: the same in worker and judge, and different from call to call."""

from __future__ import annotations

import itertools

import pytest
import torch

from kernelgate.timing.fresh import Fresh


def drawn(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.rand(shape, generator=torch.Generator().manual_seed(seed))


def test_two_processes_make_the_same_values_from_a_seed() -> None:
    one, other = drawn(100_000), drawn(100_000)
    first, second = Fresh([one], 7), Fresh([other], 7)
    for _ in range(5):
        first.next()
        second.next()
    assert torch.equal(one, other)
    assert int((one != drawn(100_000)).sum()) > 10_000


@pytest.mark.drawn
@pytest.mark.parametrize("shape", [(64, 1000), (5,), (3, 4, 5), (2, 1 << 19), (2, 3 << 20), (1, 4096)])
def test_calls_get_other_values(shape: tuple[int, ...]) -> None:
    values = drawn(*shape)
    fresh = Fresh([values], 1)
    seen = [values.clone()]
    for _ in range(20):
        fresh.next()
        seen.append(values.clone())
    assert sum(not torch.equal(a, b) for a, b in itertools.pairwise(seen)) >= 4


def test_many_rows_of_a_factor_change_at_once() -> None:
    values = drawn(4096, 512)
    Fresh([values], 1).next()
    assert int((values != drawn(4096, 512)).any(1).sum()) > 300


def test_rows_stay_rows_that_there_were() -> None:
    probabilities = drawn(300, 40).softmax(1)
    fresh = Fresh([probabilities], 1)
    for _ in range(30):
        fresh.next()
    assert torch.allclose(probabilities.sum(1), torch.ones(300))
    assert not torch.equal(probabilities, drawn(300, 40).softmax(1))


def test_token_ids_get_other_rows_where_nothing_floats() -> None:
    ids = torch.randint(0, 99, (64, 32), generator=torch.Generator().manual_seed(0))
    before = ids.clone()
    Fresh([ids, torch.arange(10)], 1).next()
    assert not torch.equal(ids, before) and set(ids.unique().tolist()) <= set(before.unique().tolist())


def test_inputs_without_a_dense_tensor_of_rows_stay_as_they_are() -> None:
    integers, strided = torch.arange(10), torch.zeros(10, 10)[:, ::2]
    Fresh([integers, strided, torch.empty(0)], 1).next()
    assert torch.equal(integers, torch.arange(10))
    assert not strided.any()
