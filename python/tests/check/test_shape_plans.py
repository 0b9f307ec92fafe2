"""The shapes of cases reach what a problem's own shape does not show."""

from __future__ import annotations

import pytest
import torch

from kernelgate.check.inputs.shape_plans import drop_in_plans, every_size_plans


@pytest.mark.parametrize(
    ("own", "any_shape"),
    [((64, 3072), True), ((64, 3072), False), ((512,), False), ((8, 3, 16, 16), False), ((), True)],
)
def test_every_rank_from_1_to_5_is_tried_and_keeps_what_is_behind_the_rows(
    own: tuple[int, ...], any_shape: bool
) -> None:
    plans = drop_in_plans(torch.empty(own, device="meta"), any_shape=any_shape, seed=1)
    shapes = {plan.name: plan.shape for plan in plans if plan.shape is not None}
    assert {len(shape) for shape in shapes.values()} | {len(own)} >= {1, 2, 3, 4, 5}
    if not any_shape:
        kept = own[1:] or own
        longer = [
            shape for name, shape in shapes.items() if name.startswith("rank") and len(shape) > len(own)
        ]
        assert longer and all(shape[-len(kept) :] == kept for shape in longer)


def test_one_number_without_dimensions_is_tried_of_either_sign_and_far_from_1() -> None:
    plans = drop_in_plans(torch.empty(64, 3072, device="meta"), any_shape=True, seed=1)
    numbers = [plan.distribution for plan in plans if plan.shape == ()]
    assert len(numbers) >= 4 and {"normal", "negative", "large"} <= set(numbers)


def test_every_size_up_to_a_block_of_a_thousand_comes_once_and_those_beside_longer_ones() -> None:
    plans = every_size_plans(torch.empty(64, 3072), any_shape=True)
    sizes = [plan.shape[0] for plan in plans if plan.shape is not None]
    assert sizes[:1025] == list(range(1, 1026))
    assert {2047, 2048, 2049, 8193} <= set(sizes) and len(sizes) == len(set(sizes))


def test_every_size_of_sums_has_more_rows_than_the_problem_and_odd_inner_sizes() -> None:
    shapes = {plan.shape for plan in every_size_plans(torch.empty(16, 64, 48), any_shape=False)}
    assert {(1, 64, 48), (17, 64, 48), (33, 64, 48), (16, 65, 48), (16, 64, 47), (16, 31, 48)} <= shapes
    assert all(plan is not None and min(plan) > 0 for plan in shapes)
