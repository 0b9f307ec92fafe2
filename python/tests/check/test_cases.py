"""The inputs that cases draw are what their words say."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from kernelgate.check.inputs.cases import Distribution, Plan, draw
from kernelgate.check.inputs.kinds import Kind, Rows

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


def test_small_and_far_values_are_all_so() -> None:
    assert 0.0 < float(drawn("tiny").abs().max()) < 1e-8
    assert float(drawn("far below 0").max()) <= -100.0
    sixteenths = drawn("sixteenths") * 16
    assert set(range(-128, 129)) <= set(sixteenths.unique().tolist()) and float(sixteenths.abs().max()) == 128
    last_of_bfloat16 = drawn("sixteenths").view(torch.int32) & 0x1FFFF
    assert int((last_of_bfloat16 == 0x8000).sum()) > 0 < int((last_of_bfloat16 == 0x18000).sum())  # halves
    plan = Plan("small", "problem", "small, first zero")
    (values,) = draw(plan, [torch.empty(6, 70)], 3, torch.bfloat16, graded=True)
    assert bool((values[0] == 0).all()) and 0.0 < float(values[1:].abs().max()) < 0.1
    (single,) = draw(plan, [torch.empty(1, 70)], 3, torch.bfloat16, graded=True)
    assert bool((single != 0).any())


@pytest.mark.parametrize("rows", ["probabilities", "log-probabilities"])
def test_probabilities_to_a_power_are_probabilities_further_apart(rows: Rows) -> None:
    own = torch.rand(5, 40).softmax(1)
    own = own.log() if rows == "log-probabilities" else own
    plan = Plan("apart", "problem", "far apart", power=16)
    kinds = [Kind(plain=False, rows=rows, rows_dim=1)]
    (drawn,) = draw(plan, [own], 1, torch.float32, graded=True, kinds=kinds)
    probabilities = drawn.exp() if rows == "log-probabilities" else drawn
    torch.testing.assert_close(probabilities.sum(1), torch.ones(5))
    assert float(probabilities.max() / probabilities.min()) > 1e5


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
