"""Modules that are made again and again: the numbers of an earlier one are copied, and nobody sees a difference."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

from kernelgate.check.construction import RandomFills

SIDE = 1024


def made(make: Callable[[], nn.Module], seed: int, fills: RandomFills | None = None) -> list[torch.Tensor]:
    """Its parameters, and what the generator draws next."""
    torch.manual_seed(seed)
    if fills is None:
        module = make()
    else:
        with fills.remembered():
            module = make()
    return [*module.parameters(), torch.rand(3)]


def same(one: list[torch.Tensor], other: list[torch.Tensor]) -> bool:
    return all(torch.equal(*pair) for pair in zip(one, other, strict=True))


def two_layers() -> nn.Module:
    layers = nn.Sequential(nn.Linear(SIDE, SIDE), nn.Linear(SIDE, SIDE))
    nn.init.normal_(layers[1].weight, 0.5, 2.0)
    return layers


def test_a_module_made_again_has_the_numbers_that_it_has_anyway() -> None:
    fills = RandomFills(long_s=-1.0)
    for seed in (1, 1, 2, 1):
        assert same(made(two_layers, seed, fills), made(two_layers, seed))


def test_numbers_of_the_same_seed_are_drawn_once() -> None:
    fills = RandomFills(long_s=-1.0)
    made(two_layers, 1, fills)  # takes long, as all of them do here
    made(two_layers, 1, fills)
    before = len(fills._drawn)
    assert before == 3
    made(two_layers, 1, fills)
    assert len(fills._drawn) == before


def test_numbers_in_another_order_of_memory_are_drawn_anew() -> None:
    def by_columns() -> nn.Module:
        module = nn.Linear(SIDE, SIDE)
        with torch.no_grad():
            module.weight.t().uniform_(-1.0, 1.0)
            module.weight[:, ::2].normal_()
        return module

    fills = RandomFills(long_s=-1.0)
    for _ in range(3):
        assert same(made(by_columns, 4, fills), made(by_columns, 4))


def test_a_module_that_changes_its_numbers_leaves_those_of_the_next_one() -> None:
    fills = RandomFills(long_s=-1.0)
    for _ in range(3):
        torch.manual_seed(5)
        with fills.remembered():
            module = nn.Linear(SIDE, SIDE)
        with torch.no_grad():
            module.weight.zero_()
    assert same(made(lambda: nn.Linear(SIDE, SIDE), 5, fills), made(lambda: nn.Linear(SIDE, SIDE), 5))


def test_a_quick_constructor_is_not_watched() -> None:
    fills = RandomFills(long_s=60.0)
    for _ in range(3):
        made(two_layers, 1, fills)
    assert not fills._drawn
