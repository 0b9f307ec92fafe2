"""The cases of a check: which of them a reference's own operators ask for, and what finding them costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch

from kernelgate.judge.case_inputs import CaseInputs

ROWS, COLUMNS = 2048, 1024


class Called:
    """A reference of one input, which notes how many elements it is called with."""

    def __init__(self, function: Callable[[torch.Tensor], torch.Tensor]) -> None:
        self._function = function
        self.most_elements = 0

    def __call__(self, inputs: Sequence[Any]) -> list[torch.Tensor]:
        self.most_elements = max(self.most_elements, inputs[0].numel())
        return [self._function(inputs[0])]


def case_names(reference: Called, *, graded: bool) -> list[str]:
    inputs = CaseInputs(
        [torch.rand(ROWS, COLUMNS)],
        lambda seed: [torch.rand(ROWS, COLUMNS, generator=torch.Generator().manual_seed(seed))],
        reference,
        7,
        dtype=torch.float32,
        plain=True,
        graded=graded,
        has_state=False,
    )
    return [plan.name for plan in inputs.plans()]


@pytest.mark.parametrize(
    ("function", "jumps"),
    [
        (torch.round, True),
        (lambda x: x > 0.5, True),
        (lambda x: torch.where(x >= 0.5, x, -x), True),
        (torch.nn.functional.leaky_relu, False),
        (torch.sigmoid, False),
        (lambda x: x.cumsum(1).round(), True),
        (lambda x: x.softmax(1), False),
    ],
)
def test_halves_are_drawn_where_a_result_jumps(
    function: Callable[[torch.Tensor], torch.Tensor], jumps: bool
) -> None:
    assert ("sixteenths" in case_names(Called(function), graded=True)) == jumps


@pytest.mark.parametrize("function", [torch.nn.functional.leaky_relu, torch.round])
def test_the_cases_of_exact_elements_are_found_with_a_part_of_the_input(
    function: Callable[[torch.Tensor], torch.Tensor],
) -> None:
    reference = Called(function)
    case_names(reference, graded=False)
    assert 0 < reference.most_elements < ROWS * COLUMNS
