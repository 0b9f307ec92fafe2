"""The inputs that cases draw are what their words say."""

from __future__ import annotations

from collections.abc import Callable

import torch

from kernelgate.check.cases import Distribution, Plan, draw

SEED_WITH_ZERO = 2
"""For which one of the 2**20 normal numbers below is exactly 0."""


def drawn(distribution: Distribution) -> torch.Tensor:
    plan = Plan(distribution, "problem", distribution)
    (values,) = draw(plan, [torch.empty(1 << 20)], SEED_WITH_ZERO, torch.float32, graded=False)
    assert isinstance(values, torch.Tensor)
    return values


def test_all_negative_values_are_negative_even_where_a_normal_number_is_zero() -> None:
    assert int((drawn("normal") == 0).sum()) == 1
    assert bool((drawn("negative") < 0).all())


def test_the_layouts_of_indices_hold_indices_between_their_elements() -> None:
    plan = Plan("strided slice", "drop-in", layout="strided slice")
    (drawn,) = draw(plan, [torch.tensor([3, 1, 2])], 1, torch.float32, graded=True)
    memory = torch.empty(0, dtype=torch.int64).set_(drawn.untyped_storage())
    assert drawn.tolist() == [3, 1, 2]
    assert set(memory.tolist()) <= {1, 2, 3}


def test_the_last_element_is_an_extreme_of_its_row_and_of_all() -> None:
    ways: list[tuple[Distribution, Callable[[torch.Tensor], torch.Tensor]]]
    ways = [("normal", torch.max), ("negative", torch.min)]
    for distribution, extreme in ways:
        plan = Plan(distribution, "problem", distribution)
        (values,) = draw(plan, [torch.zeros(5, 70)], 3, torch.float32, graded=True)
        assert values[-1, -1] == extreme(values)
        last = values[:, -1]
        largest, smallest = (last == values.max(1).values).tolist(), (last == values.min(1).values).tolist()
        assert (largest if extreme is torch.max else smallest) == [True, False] * 2 + [True]
        assert (smallest if extreme is torch.max else largest) == [False, True] * 2 + [False]
