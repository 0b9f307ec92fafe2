"""Whole numbers that rounding decides."""

from __future__ import annotations

from collections.abc import Callable

import torch

from kernelgate.check.tolerance.choices import Span, whole_spans


def _span(call: Callable[[], torch.Tensor], value: torch.Tensor, dtype: torch.dtype = torch.float32) -> Span:
    (found,) = whole_spans(lambda: [call()], [value], dtype)
    assert found is not None
    return found


def test_beside_a_half_both_whole_numbers_are_right_and_elsewhere_one_is() -> None:
    values = torch.tensor([0.75, 0.7500001, 0.8, -0.2], dtype=torch.float64)
    span = _span(lambda: torch.round(values / 0.3).long(), torch.tensor([2, 3, 3, -1]))
    assert (span.low.tolist(), span.high.tolist()) == ([2, 2, 3, -1], [3, 3, 3, -1])
    assert span.holds(torch.tensor([3, 2, 3, -1])) and not span.holds(torch.tensor([3, 2, 2, -1]))


def test_a_half_that_nothing_rounds_has_one_right_number() -> None:
    halves = torch.tensor([0.5, 1.5, -2.5], dtype=torch.float64)
    span = _span(lambda: torch.round(halves * 4 / 4).int(), torch.tensor([0, 2, -2], dtype=torch.int32))
    assert span.low.equal(span.high)


def test_the_reference_itself_is_right_and_its_own_narrow_steps_are_allowed() -> None:
    values = torch.linspace(0.1, 40, 400, dtype=torch.float64)
    narrow = torch.round(values.bfloat16() / 0.3).int()
    span = _span(lambda: torch.round(values / 0.3).int(), narrow, torch.bfloat16)
    assert span.holds(narrow) and span.holds(torch.round(values / 0.3))
    assert not span.holds(torch.round(values / 0.32))


def test_truth_values_beside_a_bound_may_be_either() -> None:
    values = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    span = _span(lambda: values / 3 * 3 > 2.0, values > 2.0)
    assert (span.low.tolist(), span.high.tolist()) == ([0, 0, 1], [0, 1, 1])


def test_other_numbers_and_what_cannot_be_called_have_no_span() -> None:
    def fails() -> list[torch.Tensor]:
        raise ValueError("once only")

    assert whole_spans(lambda: [torch.ones(2)], [torch.ones(2)], torch.float32) == [None]
    assert whole_spans(fails, [torch.ones(2, dtype=torch.int64)], torch.float32) == [None]
