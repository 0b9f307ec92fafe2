"""An arithmetic is named where a result has its errors, and not where other errors are as large."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from kernelgate.check.tolerance.arithmetic import rounded_to_bf16, rounded_to_tf32, truncated_to_tf32
from kernelgate.check.tolerance.products import Rounded, RoundedFactors, arithmetic_of

Change = Callable[[torch.Tensor], torch.Tensor]


def _two_layers(x: torch.Tensor, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x @ first, -1) @ second


def _factors() -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(3)
    return [torch.randn(size, generator=generator) for size in ((24, 32), (32, 40), (40, 16))]


def _arithmetic(got: torch.Tensor) -> str | None:
    wide = [one.double() for one in _factors()]
    oracle = _two_layers(*wide)

    def call(rounded: Rounded) -> torch.Tensor:
        with RoundedFactors(rounded):
            return _two_layers(*wide).reshape(-1)

    return arithmetic_of(got.reshape(-1), oracle.reshape(-1), oracle.abs().reshape(-1), call)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (rounded_to_tf32, "TF32 or FP16"),
        (truncated_to_tf32, "TF32 or FP16"),
        (rounded_to_bf16, "BF16"),
        (lambda values: values.half().float(), "TF32 or FP16"),
    ],
)
def test_the_arithmetic_of_products_is_seen_in_their_errors(change: Change, name: str) -> None:
    x, first, second = _factors()
    scores = change(x) @ change(first)
    assert _arithmetic(change(torch.softmax(scores, -1)) @ change(second)) == name


@pytest.mark.parametrize(("dtype", "name"), [(torch.float16, "TF32 or FP16"), (torch.bfloat16, "BF16")])
def test_so_it_is_where_results_are_rounded_too(dtype: torch.dtype, name: str) -> None:
    x, first, second = (one.to(dtype) for one in _factors())
    assert _arithmetic(_two_layers(x, first, second).float()) == name


@pytest.mark.parametrize("size", [1e-4, 1e-3, 1e-2])
def test_other_errors_of_that_size_are_no_arithmetic(size: float) -> None:
    x, first, second = _factors()
    assert _arithmetic(_two_layers(x + size, first, second)) is None
    assert _arithmetic(_two_layers(x, first * (1 + size), second)) is None
    assert _arithmetic(_two_layers(x, first * (1 - size), second)) is None
    assert _arithmetic(torch.softmax(x @ first + size * torch.arange(40), -1) @ second) is None


def test_of_few_elements_nothing_is_said() -> None:
    x, first, second = (rounded_to_tf32(one) for one in _factors())
    few = _two_layers(x, first, second).reshape(-1)[:8]
    oracle = _two_layers(*(one.double() for one in _factors())).reshape(-1)[:8]
    assert arithmetic_of(few, oracle, oracle.abs(), lambda _change: few.double()) is None


def test_a_wrong_constant_is_not_taken_for_numbers_that_are_cut_off() -> None:
    x, first, _second = (one.double() for one in _factors())
    oracle = torch.sigmoid(x @ first).reshape(-1)

    def call(rounded: Rounded) -> torch.Tensor:
        with RoundedFactors(rounded):
            return torch.sigmoid(x @ first).reshape(-1)

    for factor in (0.998, 0.999, 0.9995, 1.001):
        assert arithmetic_of(torch.sigmoid(factor * (x @ first)).reshape(-1), oracle, oracle, call) is None
    cut = torch.sigmoid(truncated_to_tf32(x) @ truncated_to_tf32(first)).reshape(-1)
    assert arithmetic_of(cut, oracle, oracle, call) == "TF32 or FP16"
