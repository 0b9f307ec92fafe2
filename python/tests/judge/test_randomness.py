"""Results that are random: what draws otherwise is right, and what draws from another distribution is not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from kernelgate.judge.randomness import differs_in_distribution

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
}
OTHERS: dict[str, Draw] = {
    "indices of rows": lambda: torch.randint(0, 50, (32, 4)),
    "indices": lambda: torch.randint(0, 7, (400,)),
    "masks": lambda: (torch.rand(32, 50) < ROWS.mean()).float(),
    "counts": lambda: torch.poisson(torch.full((32, 50), 2.5)),
    "dropout": lambda: torch.dropout(X, 0.35, True),
}


def _seeded(draw: Draw, later: int = 0) -> Callable[[int], torch.Tensor]:
    def drawn(seed: int) -> torch.Tensor:
        torch.manual_seed(seed + later)
        return draw()

    return drawn


@pytest.mark.parametrize("name", DRAWS)
def test_other_random_numbers_of_one_distribution_are_right(name: str) -> None:
    assert differs_in_distribution(_seeded(DRAWS[name]), _seeded(DRAWS[name], 10_000), 3) is None


@pytest.mark.parametrize("name", OTHERS)
def test_another_distribution_is_wrong(name: str) -> None:
    assert differs_in_distribution(_seeded(DRAWS[name]), _seeded(OTHERS[name], 10_000), 3) is not None


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
        assert differs_in_distribution(_seeded(draw), lambda _: torch.arange(size) % 2.0, seed) is not None
