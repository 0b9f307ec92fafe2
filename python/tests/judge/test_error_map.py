"""A map of few squares shows where a result is wrong, whatever its shape."""

from __future__ import annotations

import msgspec
import pytest
import torch

from kernelgate.judge.comparison.error_map import error_map
from kernelgate.report.accuracy import ErrorMap
from kernelgate.report.accuracy_words import error_map as words
from kernelgate.report.accuracy_words import row_words


def wrong(*shape: int) -> torch.Tensor:
    return torch.zeros(shape, dtype=torch.bool)


def mapped(mask: torch.Tensor) -> ErrorMap:
    found = error_map(mask, "normal")
    assert found is not None
    # What is written is within the bounds that a reader holds it to.
    return msgspec.json.decode(msgspec.json.encode(found), type=ErrorMap)


def test_the_last_rows_are_solid_and_the_square_on_the_border_is_hatched() -> None:
    mask = wrong(100, 64)
    mask[90:] = True
    found = mapped(mask)
    assert (found.bin_rows, found.bin_columns) == (4, 2)
    assert found.bins == ["." * 32] * 22 + ["5" * 32] + ["#" * 32] * 2
    assert words(found) == "one square is 4x2 elements of 100x64; wrong ones lie in rows 90 to 99, all columns"
    assert row_words(found)[22:24] == [
        "from row 88: 32 of 32 squares hold wrong elements",
        "from row 92: 32 of 32 squares hold wrong elements, 32 of them no right one",
    ]


def test_a_tile_stands_where_it_is() -> None:
    mask = wrong(32, 32)
    mask[8:16, 16:24] = True
    found = mapped(mask)
    assert found.bins == ["." * 32] * 8 + ["." * 16 + "#" * 8 + "." * 8] * 8 + ["." * 32] * 16
    assert words(found).endswith("wrong ones lie in rows 8 to 15, columns 16 to 23")


def test_dimensions_before_the_last_two_lie_over_each_other() -> None:
    mask = wrong(2, 3, 4, 5)
    mask[1, 2, 3] = True
    found = mapped(mask)
    assert found.bins == ["....."] * 3 + ["22222"]
    assert "of 2x3x4x5, of all 6 matrices over each other" in words(found)


@pytest.mark.parametrize("shape", [(5000,), (5000, 1), (1, 1, 5000)])
def test_a_result_without_two_dimensions_is_laid_out_as_it_lies_in_memory(shape: tuple[int, ...]) -> None:
    mask = wrong(*shape)
    mask.view(-1)[4990:] = True
    found = mapped(mask)
    assert len(found.bins) <= 32
    assert all(set(row) == {"."} for row in found.bins[:-1])
    assert set(found.bins[-1]) > {"."}
    assert words(found).endswith("as they lie in memory; wrong ones lie in elements 4990 to 4999")


@pytest.mark.parametrize("shape", [(3,), (33,), (2, 2), (31, 1000), (65, 33), (7, 1025, 2)])
def test_whatever_the_shape_one_wrong_element_is_in_one_square_of_a_bounded_map(shape: tuple[int, ...]) -> None:
    mask = wrong(*shape)
    mask.view(-1)[-1] = True
    found = mapped(mask)
    assert len(found.bins) <= 32
    assert len("".join(found.bins).replace(".", "")) == 1


def test_nothing_is_drawn_of_a_result_without_wrong_elements_or_of_one_element() -> None:
    assert error_map(wrong(8, 8), "normal") is None
    assert error_map(~wrong(1), "normal") is None
    assert error_map(~wrong(), "normal") is None
    assert error_map(wrong(0, 3), "normal") is None


def test_wrong_elements_from_the_first_to_the_last_lie_in_all_parts() -> None:
    assert words(mapped(~wrong(5000))).endswith("; wrong ones lie in all parts of it")
