"""Some elements of a wrong result beside what is expected, and how many are off by how much."""

from __future__ import annotations

import msgspec
import pytest
import torch

from kernelgate.judge.comparison.error_map import value_pairs
from kernelgate.report.accuracy import Values
from kernelgate.report.accuracy_words import errors, pairs


def paired(got: torch.Tensor, expected: torch.Tensor) -> Values:
    found = value_pairs(got, expected.double(), got != expected, "normal")
    assert found is not None
    # What is written is within the bounds that a reader holds it to.
    return msgspec.json.decode(msgspec.json.encode(found), type=Values)


def test_wrong_elements_come_first_and_a_few_right_ones_behind() -> None:
    expected = torch.linspace(-4, 4, 4000).reshape(40, 100)
    found = paired(torch.where(expected < 0, 2 * expected, expected), expected)
    assert (found.wrong, len(found.got)) == (32, 40)
    assert found.got[:32] == pytest.approx([2 * wanted for wanted in found.expected[:32]], rel=1e-5)
    assert found.got[32:] == found.expected[32:]
    assert pairs(found)[0] == "got -8, expected -4"


def test_all_wrong_elements_are_counted_by_the_power_of_ten_that_they_are_off_by() -> None:
    expected = torch.zeros(100)
    got = torch.tensor([0.5] * 60 + [0.05] * 30 + [0.0] * 10)
    found = paired(got, expected)
    assert (found.lowest, found.counts) == (-2, [30, 60])
    assert errors(found) == ["off by up to 0.1: 30 elements", "off by 0.1 to 1: 60 elements"]


def test_values_in_float8_are_paired_as_well() -> None:
    got, expected = (torch.tensor(values).to(torch.float8_e4m3fn) for values in ([1.0, 3.0], [1.0, 2.0]))
    found = value_pairs(got, expected, torch.tensor([False, True]), "normal")
    assert found is not None and (found.got, found.expected) == ([3.0, 1.0], [2.0, 1.0])


def test_what_is_no_number_or_beyond_an_axis_is_counted_alone() -> None:
    found = paired(torch.tensor([float("nan"), float("inf"), 1e30, 2.0]), torch.ones(4))
    assert (found.got, found.others) == ([2.0], 3)
    assert errors(found)[-1] == "no numbers, or too large: 3 elements"


def test_there_is_nothing_to_see_of_a_result_without_numbers() -> None:
    nans, ones = torch.full((4,), float("nan")), torch.ones(4)
    assert value_pairs(nans, ones.double(), torch.ones(4, dtype=torch.bool), "normal") is None
    truths = torch.tensor([True, False])
    assert value_pairs(truths, truths, torch.ones(2, dtype=torch.bool), "normal") is None
