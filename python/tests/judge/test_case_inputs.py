"""The cases of a check: which of them a reference's own operators ask for, and what finding them costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch

from kernelgate.judge.reference.case_inputs import CaseInputs

from .candidates import verify

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


@pytest.mark.parametrize(
    ("loss", "left_out"),
    [
        (torch.nn.CrossEntropyLoss(), -100),
        (torch.nn.CrossEntropyLoss(ignore_index=2, label_smoothing=0.1), 2),
        (lambda x, y: torch.nn.functional.nll_loss(x.log_softmax(1), y, reduction="none"), -100),
        (lambda x, y: x.gather(1, y[:, None]).mean(), None),
        (lambda x, y: torch.nn.functional.embedding(y, x).sum(), None),
    ],
)
def test_a_third_of_the_labels_are_what_a_loss_leaves_out(
    loss: Callable[..., Any], left_out: int | None
) -> None:
    def drawn(seed: int) -> list[Any]:
        generator = torch.Generator().manual_seed(seed)
        return [torch.randn(60, 10, generator=generator), torch.randint(0, 10, (60,), generator=generator)]

    inputs = CaseInputs(
        drawn(0),
        drawn,
        lambda given: [loss(*given)],
        7,
        dtype=torch.float32,
        plain=False,
        graded=True,
        has_state=False,
    )
    plans = [plan for plan in inputs.plans() if plan.name == "labels left out"]
    if left_out is None:
        assert plans == []
        return
    _values, labels = inputs.draw(plans[0], 3, torch.float32)
    assert plans[0].contract == "drop-in"
    assert int((labels == left_out).sum()) >= 20
    assert set(labels.tolist()) - {left_out} <= set(range(10))


@pytest.mark.parametrize("function", [torch.nn.functional.leaky_relu, torch.round])
def test_the_cases_of_exact_elements_are_found_with_a_part_of_the_input(
    function: Callable[[torch.Tensor], torch.Tensor],
) -> None:
    reference = Called(function)
    case_names(reference, graded=False)
    assert 0 < reference.most_elements < ROWS * COLUMNS


CROSS_ENTROPY = """
import torch

class ModelNew(torch.nn.Module):
    def forward(self, x, y):
        inside = {inside}
        picked = x.log_softmax(1).gather(1, y.clamp(min=0)[:, None])[:, 0]
        return -torch.where(inside, picked, 0.0).sum() / inside.sum()
"""


@pytest.mark.drawn
@pytest.mark.parametrize(
    ("inside", "obstacle"),
    [
        ("y != -100", ""),
        ("torch.ones_like(y, dtype=torch.bool)", "wrong on labels that the loss leaves out"),
    ],
)
def test_a_cross_entropy_that_leaves_no_label_out_is_no_drop_in(inside: str, obstacle: str) -> None:
    reference = (
        "import torch\nclass Model(torch.nn.CrossEntropyLoss):\n    pass\n"
        "def get_inputs():\n    return [torch.randn(24, 10), torch.randint(0, 10, (24,))]\n"
        "def get_init_inputs():\n    return []\n"
    )
    report = verify(CROSS_ENTROPY.format(inside=inside), problem=None, reference=reference)
    assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict
    assert report.verdict.obstacle == obstacle
