"""What is said of a wrong result is true of it."""

from __future__ import annotations

import pytest
import torch

from kernelgate.check.slips import diagnosis
from kernelgate.check.slips.diagnosis import region, zeros_at_the_end
from kernelgate.check.tolerance.numerics import Comparison, Graded
from kernelgate.report.wrong_values import distinguishable, factor_words


def diagnose(inputs: list[torch.Tensor], got: torch.Tensor, right: torch.Tensor, found: Comparison) -> str:
    return diagnosis.diagnose(inputs, got, right, found).words


def systematic(got: torch.Tensor, right: Graded, found: Comparison) -> str | None:
    wrong = diagnosis.systematic(got, right, 8.0, found)
    return wrong.words if wrong is not None else None


def said(got: torch.Tensor, right: torch.Tensor, scale: torch.Tensor | None = None) -> str | None:
    """Of a float32 result that is held against `right`, whose elements move by `scale` roundings."""
    graded = Graded(right, right.double(), right.abs().double() if scale is None else scale)
    wrong = int((got != right).sum())
    return systematic(got, graded, Comparison(wrong, right.numel(), 0))


def test_a_factor_is_named_also_where_half_of_the_elements_are_zero() -> None:
    right = torch.randn(64, 64, generator=torch.Generator().manual_seed(1)).relu()
    assert said(right * 1.01, right) == "every element is 1.01 times the reference's"
    nothing_rounds = torch.zeros(64, 64, dtype=torch.float64)
    assert said(right * 1.01, right, nothing_rounds) == "every element is 1.01 times the reference's"


def test_what_most_elements_have_in_common_is_not_said_of_a_few_wrong_ones() -> None:
    right = torch.linspace(1, 2, 1000)
    got = right + 1e-9
    got[3] += 1e-6
    assert said(got, right) is None


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ((slice(None), slice(60, None)), ", all of them in the last 4 of 64 columns"),
        ((slice(30, None), slice(None)), ", all of them in the last 2 of 32 rows"),
        ((slice(0, 4), slice(None)), ""),
        ((slice(None), slice(None)), ""),
    ],
)
def test_a_missing_tile_is_found_by_its_place(place: tuple[slice, slice], words: str) -> None:
    wrong = torch.zeros(32, 64, dtype=torch.bool)
    wrong[place] = True
    assert str(region(wrong) or "") == words


def test_numbers_are_shown_with_digits_that_distinguish_them() -> None:
    assert distinguishable(0.5, 0.25) == ("0.5", "0.25")
    assert distinguishable(0.0142252939, 0.0142252941) == ("0.0142252939", "0.0142252941")
    one, other = distinguishable(1.0, 1.0 + 2**-52)
    assert one != other
    got, right = torch.tensor(1.5), torch.tensor(1.25)
    words = diagnose([], got, right, Comparison(1, 1, 0, error_units=1.0))
    assert words == "the result is 1.5 instead of 1.25"


def test_a_wrong_constant_differs_in_words_from_the_right_one() -> None:
    x = -torch.rand(4096, generator=torch.Generator().manual_seed(1)) - 0.5
    right = x * 0.01

    def said(got: torch.Tensor) -> str:
        return diagnose([x], got, right, Comparison(int((got != right).sum()), got.numel(), 0))

    assert said(x * 0.011) == "negative inputs are multiplied by 0.011 instead of 0.01"
    assert said(x * 0.010001) == "negative inputs are multiplied by 0.010001 instead of 0.01"
    words = said(x - x * 0.99)
    assert "instead of 0.01, as by more roundings" in words and "like 0.01 " not in words
    assert factor_words(1.01) == "1.01" and factor_words(1.0000012) == "1.0000012"


def test_a_single_number_that_is_a_multiple_of_the_right_one_is_said_to_be_that() -> None:
    right = torch.tensor(0.187226)
    assert diagnose([], right * 1.01, right, Comparison(1, 1, 0)).endswith(", 1.01 times as large")
    assert diagnose([], right / 64, right, Comparison(1, 1, 0)).endswith(", 64 times as small")
    assert "times" not in diagnose([], right * 1.0123456, right, Comparison(1, 1, 0))


def test_what_all_elements_have_in_common_is_said_though_most_are_within_their_tolerance() -> None:
    oracle = torch.randn(512, dtype=torch.float64)
    right = Graded(oracle.float(), oracle, torch.full((512,), 1e6, dtype=torch.float64))
    found = Comparison(3, 512, 0, error_units=100.0)
    words = {
        "every element is 1.01 times the reference's": right.value * 1.01,
        "every element is 0.25 larger than the reference's": right.value + 0.25,
    }
    for said, got in words.items():
        assert systematic(got, right, found) == said
    rounded = right.value.bfloat16().float()
    assert systematic(rounded, right, found) is None


def test_zeros_at_the_end_differ_from_other_wrong_elements() -> None:
    right = torch.rand(8, 32) + 1
    got = right.clone()
    got.view(-1)[-40:] = 0
    zeros = zeros_at_the_end(got, right, got != right)
    assert zeros is not None and zeros.words == "40 of 256 elements are 0, all of them in the last 2 of 8 rows"
    got[0, 0] = 5
    assert zeros_at_the_end(got, right, got != right) is None


def test_whole_numbers_are_shown_with_all_their_digits() -> None:
    right = torch.tensor(10**18 + 7)
    words = diagnose([], right + 1, right, Comparison(1, 1, 0))
    assert words == "the result is 1000000000000000008 instead of 1000000000000000007"
    words = diagnose([], torch.tensor(False), torch.tensor(True), Comparison(1, 1, 0))
    assert words == "the result is False instead of True"


def test_a_small_result_is_no_multiple_of_a_large_one() -> None:
    x = torch.randn(32, 50, generator=torch.Generator().manual_seed(1))
    assert said(x.softmax(1), x.log_softmax(1)) is None
    assert said(x / x.abs().sum(1, keepdim=True), x / x.norm(dim=1, keepdim=True)) is None


def test_the_sign_of_wrong_inputs_is_said_only_where_others_are_right() -> None:
    x = torch.arange(1, 41)
    got = torch.where(x > 20, x + 1, x)
    words = diagnose([x], got, x, Comparison(20, 40, 20))
    assert words == "20 of 40 elements differ"
    x = torch.arange(-20, 20)
    assert diagnose([x], torch.where(x > 0, x + 1, x), x, Comparison(19, 40, 21)) == "wrong on positive inputs"
