"""The inputs that cases draw are what their words say."""

from __future__ import annotations

import torch

from kernelgate.check.cases import Distribution, Plan, draw, every_size_plans

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


def test_every_size_up_to_a_block_of_a_thousand_comes_once_and_those_beside_longer_ones() -> None:
    plans = every_size_plans(torch.empty(64, 3072), any_shape=True)
    sizes = [plan.shape[0] for plan in plans if plan.shape is not None]
    assert sizes[:1025] == list(range(1, 1026))
    assert {2047, 2048, 2049, 8193} <= set(sizes) and len(sizes) == len(set(sizes))


def test_every_size_of_sums_has_more_rows_than_the_problem_and_odd_inner_sizes() -> None:
    shapes = {plan.shape for plan in every_size_plans(torch.empty(16, 64, 48), any_shape=False)}
    assert {(1, 64, 48), (17, 64, 48), (33, 64, 48), (16, 65, 48), (16, 64, 47), (16, 31, 48)} <= shapes
    assert all(plan is not None and min(plan) > 0 for plan in shapes)
