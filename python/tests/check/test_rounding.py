"""How far rounding moves a result, as operators in float64 that round at random show."""

from __future__ import annotations

import math

import torch

from kernelgate.check.rounding import rounding_spread


def _spread(call: object) -> torch.Tensor:
    (found,), _operators = rounding_spread(lambda: [call()], [call()], torch.float32, seed=1)  # type: ignore[operator]
    return found


def test_a_mask_of_infinities_hides_no_rounding() -> None:
    generator = torch.Generator().manual_seed(0)
    scores, values = (torch.randn(16, 16, generator=generator, dtype=torch.float64) for _ in range(2))
    mask = torch.full((16, 16), -math.inf, dtype=torch.float64).triu(1)
    spread = _spread(lambda: torch.softmax(scores * 3 + mask, -1) @ values)
    assert (spread[1:] > 0).all()
    assert float(spread.max()) < 64


def test_what_is_exact_does_not_move() -> None:
    values = torch.tensor([1.0, -2.0, math.inf], dtype=torch.float64)
    assert (_spread(lambda: values.relu().clone()) == 0).all()
