"""The grade tells arithmetics apart, and sizes are scaled down no further than they must be."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
import torch

from kernelgate.check.tolerance.arithmetic import (
    Bounds,
    Coarser,
    rounded_to_bf16,
    rounded_to_tf32,
    truncated_to_tf32,
)

BOUNDS = Bounds(own=2.0, tf32=2000.0, coarser=lambda: Coarser(bf16=14000.0, tf32_worst=3500.0))


@pytest.mark.parametrize(
    ("units", "grade"),
    [
        (0.0, "fp32"),
        (7.9, "fp32"),
        (40.0, "split"),
        (2000.0, "TF32 or FP16"),
        (3500.0, "TF32 or FP16"),
        (14000.0, "BF16"),
        (1e6, None),
        (float("inf"), None),
    ],
)
def test_an_error_is_named_by_the_finest_arithmetic_that_it_fits(units: float, grade: str | None) -> None:
    assert BOUNDS.grade(units) == grade


@pytest.mark.parametrize("own", [0.4, 2000.0], ids=["computed in fp32", "computed in TF32"])
def test_where_pytorch_may_use_tf32_its_errors_pass_and_have_their_name(own: float) -> None:
    bounds = dataclasses.replace(BOUNDS, own=own, in_tf32=True)
    assert [bounds.grade(units) for units in (5.0, 40.0, 3500.0, 14000.0)] == [
        "fp32", "split", "TF32 or FP16", "BF16",
    ]  # fmt: skip
    passes = bounds.limit(bounds.passing("fp32"))
    assert 3500.0 < passes < 14000.0
    assert BOUNDS.limit(BOUNDS.passing("fp32")) < 40.0
    assert bounds.passing("BF16") == "BF16"


def test_rounding_to_tf32_keeps_ten_bits_and_what_is_not_finite() -> None:
    one = 1.0 + 2.0**-11
    values = torch.tensor([one, 1.0 + 2.0**-10, -one, float("inf"), float("-inf"), 0.0, -0.0])
    up = torch.tensor(
        [1.0 + 2.0**-10, 1.0 + 2.0**-10, -(1.0 + 2.0**-10), float("inf"), float("-inf"), 0.0, -0.0]
    )
    assert torch.equal(rounded_to_tf32(values), up)
    assert torch.equal(truncated_to_tf32(values)[:3], torch.tensor([1.0, 1.0 + 2.0**-10, -1.0]))
    nan = torch.tensor([float("nan")])
    assert rounded_to_tf32(nan).isnan().all() and truncated_to_tf32(nan).isnan().all()
    assert rounded_to_bf16(torch.tensor([1.0 + 2.0**-8])).item() == 1.0
    assert rounded_to_tf32(values.double()).dtype == torch.float64


@pytest.mark.parametrize("rounded", [rounded_to_tf32, truncated_to_tf32, rounded_to_bf16])
@pytest.mark.parametrize("wide", [torch.complex64, torch.complex128])
def test_of_a_complex_number_each_part_is_rounded(rounded: Any, wide: torch.dtype) -> None:
    values = torch.randn(50, dtype=wide)
    for given in (values, values.conj()):
        found = rounded(given)
        assert found.dtype == wide
        assert torch.equal(found.real, rounded(given.real)) and torch.equal(found.imag, rounded(given.imag))
