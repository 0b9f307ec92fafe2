"""The inputs that cases draw are what their words say."""

from __future__ import annotations

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
