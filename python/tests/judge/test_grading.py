"""What a result is held against: by a glance, and by a grade."""

from __future__ import annotations

import pytest
import torch

from kernelgate.check.arithmetic import LEAST_UNITS
from kernelgate.check.numerics import Graded, wrong_by_error
from kernelgate.check.widening import widening
from kernelgate.judge.grading import Change, Wide, glance, grades


def _wide(call, *inputs: torch.Tensor) -> Wide:  # type: ignore[no-untyped-def]
    def in_float64(change: Change) -> list[torch.Tensor]:
        with widening(inputs[0].dtype):
            return [call(*[change(one.double()) for one in inputs])]

    return Wide(in_float64, lambda change: [call(*map(change, inputs))])


def _is_wrong(got: torch.Tensor, right: Graded, limit: float) -> bool:
    return bool(wrong_by_error(got, right, limit).any())


@pytest.mark.parametrize("times", [1e-7, 1e-6, 1e-3])
def test_what_passes_at_a_glance_passes_by_its_grade(times: float) -> None:
    torch.manual_seed(0)
    x, w = torch.randn(24, 96), torch.randn(96, 16)
    product = torch.matmul
    value, wide = product(x, w), _wide(product, x, w)
    seen, (grade,) = glance([value], wide, integers=False), grades([value], wide, integers=False)
    assert seen is not None and grade is not None
    assert not _is_wrong(value.double().float(), seen[0], LEAST_UNITS)
    got = value * (1 + times)
    assert _is_wrong(got, seen[0], LEAST_UNITS) >= _is_wrong(got, grade.right, grade.bounds.fp32_limit)
    assert times < 1e-3 or _is_wrong(got, seen[0], LEAST_UNITS)


def test_nothing_is_seen_at_a_glance_where_nothing_rounds() -> None:
    x = torch.randn(8, 8)
    assert glance([x.relu()], _wide(torch.relu, x), integers=False) is None
