"""Whether a reference works element by element is seen by calling it; every number of a format is its bit patterns."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch.nn import functional as F

from kernelgate.check.inputs.bit_patterns import count_of, fill
from kernelgate.check.inputs.elementwise import is_elementwise

Function = Callable[[torch.Tensor], torch.Tensor]
COLUMNS = torch.arange(48.0)


def found(function: Function, shape: tuple[int, ...] = (64, 48)) -> bool:
    generator = torch.Generator().manual_seed(7)
    return is_elementwise(lambda given: [function(given[0])], torch.empty(shape), generator)


@pytest.mark.parametrize(
    "function",
    [
        torch.nn.GELU(),
        torch.nn.GELU("tanh"),
        torch.nn.LeakyReLU(),
        torch.nn.PReLU(),
        lambda x: x * torch.sigmoid(x),
        lambda x: torch.log(x.abs()) + 1,
        torch.zeros_like,
        lambda x: x,
    ],
)
def test_functions_of_one_element_are_recognized(function: Function) -> None:
    with torch.no_grad():
        assert found(function)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: torch.softmax(x, -1),
        lambda x: torch.cumsum(x, 0),
        lambda x: x - x.mean(),
        lambda x: F.layer_norm(x, (48,)),
        lambda x: x + COLUMNS,
        lambda x: x.flip(0),
        lambda x: x.roll(1, 1),
        lambda x: x.clamp(max=float(x.mean())),
        lambda x: x.sum(-1),
        lambda x: x > 0,
        lambda x: F.dropout(x, 0.5),
        lambda x: x.view(5, -1),
    ],
)
def test_what_depends_on_others_or_on_the_place_is_not(function: Function) -> None:
    assert not found(function)


def test_a_single_element_shows_nothing() -> None:
    assert not found(torch.relu, (1,))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_every_pattern_of_a_half_comes_once_wherever_it_begins(dtype: torch.dtype) -> None:
    values = fill(torch.empty(256, 256, dtype=dtype), 51_234)
    assert count_of(dtype) == 1 << 16
    assert len(values.view(torch.int16).unique()) == 1 << 16


def test_patterns_of_float32_go_round() -> None:
    values = fill(torch.empty(4), (1 << 32) - 2)
    assert values.view(torch.int32).tolist() == [-2, -1, 0, 1]
    assert fill(torch.empty(2), 0x3F800000).tolist()[0] == 1.0
    assert count_of(torch.float64) is None
