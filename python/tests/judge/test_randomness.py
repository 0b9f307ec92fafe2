"""Results that are random: what draws otherwise is right, and what draws from another distribution is not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from kernelgate.judge.comparison.randomness import differs_in_distribution

Draw = Callable[[], torch.Tensor]
_GENERATOR = torch.Generator().manual_seed(5)
ROWS = torch.rand(32, 50, generator=_GENERATOR)
FEW = torch.rand(7, generator=_GENERATOR)
X = torch.randn(48, 64, generator=_GENERATOR)
DRAWS: dict[str, Draw] = {
    "indices of rows": lambda: torch.multinomial(ROWS, 4, replacement=True),
    "indices": lambda: torch.multinomial(FEW, 400, replacement=True),
    "masks": lambda: torch.bernoulli(ROWS),
    "counts": lambda: torch.poisson(ROWS * 5),
    "one-hot rows": lambda: torch.nn.functional.gumbel_softmax(X, hard=True),
    "dropout": lambda: torch.dropout(X, 0.3, True),
    "noise": lambda: torch.randn(48, 64),
    "shuffled rows": lambda: X[torch.randperm(48)],
    "one number for each row": lambda: X * torch.randn(48, 1),
    "few numbers": lambda: torch.randn(3),
    "a scalar": lambda: torch.randn(()),
}
# Each draws what the reference draws, in its own way.
SAME: dict[str, tuple[Draw, Draw]] = {
    "normal numbers by the inverse of their distribution": (
        lambda: torch.randn(48, 64),
        lambda: torch.special.ndtri(torch.rand(48, 64, dtype=torch.float64).clamp_min(1e-12)).float(),
    ),
    "normal numbers by Box and Muller": (
        lambda: torch.randn(48, 64),
        lambda: (-2 * torch.rand(48, 64).log()).sqrt() * (2 * torch.pi * torch.rand(48, 64)).cos(),
    ),
    "dropout rounded in another way": (
        lambda: torch.dropout(X, 0.3, True),
        lambda: (X.double() * (torch.rand(48, 64) < 0.7) / 0.7 * (1 + 2e-7)).float(),
    ),
    "dropout by a mask": (
        lambda: torch.dropout(X, 0.3, True),
        lambda: torch.where(torch.rand(48, 64) < 0.7, X / 0.7, 0.0),
    ),
}
OTHERS: dict[str, Draw] = {
    "indices of rows": lambda: torch.randint(0, 50, (32, 4)),
    "indices": lambda: torch.randint(0, 7, (400,)),
    "masks": lambda: (torch.rand(32, 50) < ROWS.mean()).float(),
    "counts": lambda: torch.poisson(torch.full((32, 50), 2.5)),
    "dropout": lambda: torch.dropout(X, 0.35, True),
}
# Right in the mean and the mean square of each element.
WRONG: dict[str, tuple[Draw, Draw]] = {
    "uniform numbers for normal ones": (DRAWS["noise"], lambda: (torch.rand(48, 64) - 0.5) * 12**0.5),
    "the same noise in both halves": (DRAWS["noise"], lambda: torch.randn(48, 32).repeat(1, 2)),
    "one mask for all rows": (DRAWS["dropout"], lambda: X * (torch.rand(64) < 0.7) / 0.7),
    "whole columns, always as many": (DRAWS["dropout"], lambda: X * (torch.rand(64).argsort() < 45) / 0.7),
    "a rotation for a permutation": (DRAWS["shuffled rows"], lambda: X.roll(int(torch.randint(48, ())), 0)),
}


def _seeded(draw: Draw, later: int = 0) -> Callable[[int], list[torch.Tensor]]:
    def drawn(seed: int) -> list[torch.Tensor]:
        torch.manual_seed(seed + later)
        return [draw()]

    return drawn


@pytest.mark.parametrize("name", DRAWS)
def test_other_random_numbers_of_one_distribution_are_right(name: str) -> None:
    assert differs_in_distribution(_seeded(DRAWS[name]), _seeded(DRAWS[name], 10_000), 3) is None


@pytest.mark.parametrize("name", OTHERS)
def test_another_distribution_is_wrong(name: str) -> None:
    assert differs_in_distribution(_seeded(DRAWS[name]), _seeded(OTHERS[name], 10_000), 3) is not None


@pytest.mark.parametrize("name", SAME)
def test_numbers_made_in_another_way_are_right_for_every_seed(name: str) -> None:
    reference, own = SAME[name]
    assert [differs_in_distribution(_seeded(reference), _seeded(own), 100 * seed) for seed in range(5)] == [
        None
    ] * 5


@pytest.mark.parametrize("name", WRONG)
def test_what_only_each_element_alone_does_right_is_wrong_for_every_seed(name: str) -> None:
    reference, own = WRONG[name]
    found = [
        differs_in_distribution(_seeded(reference), _seeded(own, 10_000), 100 * seed) for seed in range(3)
    ]
    assert all(found), found


@pytest.mark.drawn
@pytest.mark.parametrize("share", [0.25, 0.5, 0.9])
def test_a_single_number_may_come_up_several_times_in_a_row(share: float) -> None:
    def draw() -> torch.Tensor:
        return torch.bernoulli(torch.tensor([share]))

    found = [differs_in_distribution(_seeded(draw), _seeded(draw, 10_000), seed * 100) for seed in range(25)]
    assert found == [None] * 25


@pytest.mark.parametrize("size", [1, 2, 40])
def test_a_result_that_never_changes_is_not_random(size: int) -> None:
    def draw() -> torch.Tensor:
        return torch.bernoulli(torch.full((size,), 0.5))

    for seed in (0, 100, 200):
        assert differs_in_distribution(_seeded(draw), lambda _: [torch.arange(size) % 2.0], seed) is not None
