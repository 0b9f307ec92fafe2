"""Indices are right that point at the right values; of equal ones any is, unless the sort is stable."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from kernelgate.check.tolerance.choices import watched, wrong_indices

ROWS = torch.tensor([[3.0, 1.0, 3.0, 2.0], [0.0, 0.0, 0.0, 1.0]])


def _wrong(
    call: Callable[[], torch.Tensor], got: list[list[int]], given: torch.Tensor = ROWS
) -> list[list[bool]]:
    expected, seen = watched(call, [given])
    source = seen([expected]).indices[0]
    wrong: list[list[bool]] = wrong_indices(torch.tensor(got), expected, source).tolist()
    return wrong


OTHER_ORDER = [[1, 3, 2, 0], [2, 1, 0, 3]]


def test_of_equal_values_any_may_come_first() -> None:
    assert not any(map(any, _wrong(lambda: ROWS.sort(1).indices, OTHER_ORDER)))


@pytest.mark.parametrize(
    "call", [lambda: torch.sort(ROWS, dim=1, stable=True)[1], lambda: ROWS.argsort(dim=1, stable=True)]
)
def test_in_a_stable_sort_the_first_of_equal_values_comes_first(call: Callable[[], torch.Tensor]) -> None:
    assert _wrong(call, OTHER_ORDER) == [[False, False, False, True], [False, True, True, False]]
    assert not any(map(any, _wrong(call, call().tolist())))


def test_the_order_of_computed_values_that_are_equal_in_the_reference_alone_is_left_open() -> None:
    assert not any(map(any, _wrong(lambda: torch.sort(ROWS * 0.1, dim=1, stable=True)[1], OTHER_ORDER)))
