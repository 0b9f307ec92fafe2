"""A result with unwritten memory is found; a result that the inputs determine is left alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from kernelgate.judge.cases.case_call import filled_empty, left_unwritten, may_leave_unwritten

X = torch.tensor([3.0, float("nan"), -1.0])


def rows(x: torch.Tensor, dtype: torch.dtype, count: int) -> torch.Tensor:
    result = torch.zeros(3, dtype=dtype).new_empty(3)
    result[:count] = x[:count].nan_to_num().to(dtype)
    return result


def _filled(call: Callable[[], torch.Tensor]) -> torch.Tensor:
    with filled_empty():
        return call()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int64, torch.uint8])
def test_elements_that_a_call_leaves_are_seen(dtype: torch.dtype) -> None:
    whole, part = (lambda: rows(X, dtype, 3)), (lambda: rows(X, dtype, 2))
    assert not left_unwritten([whole()], [_filled(whole)])
    assert left_unwritten([torch.zeros(3, dtype=dtype)], [_filled(part)])


def test_a_nan_that_the_inputs_bring_is_none() -> None:
    def copied() -> torch.Tensor:
        return torch.empty_like(X).copy_(X)

    assert not left_unwritten([copied()], [_filled(copied)])


def test_what_an_operator_of_pytorch_leaves_is_seen_and_the_setting_is_put_back() -> None:
    loss, nothing = torch.nn.MultiMarginLoss(), (torch.randn(0, 4), torch.zeros(0, dtype=torch.int64))
    assert left_unwritten([torch.zeros(())], [_filled(lambda: loss(*nothing))])
    assert not torch.are_deterministic_algorithms_enabled()


def test_only_a_program_that_makes_such_memory_is_looked_at() -> None:
    assert may_leave_unwritten("y = torch.empty_like(x)") and may_leave_unwritten("y = x.new_empty(3)")
    assert not may_leave_unwritten("y = torch.zeros_like(x)  # nonempty")
