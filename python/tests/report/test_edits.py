"""A program with an edit of a report."""

import pytest

from kernelgate.report.edits import edited
from kernelgate.report.types import Edit

TEXT = "a = 1\nb = 2\nc = 3"


@pytest.mark.parametrize(
    ("edit", "after"),
    [
        (Edit(line=2, column=4, text="x + "), "a = 1\nb = x + 2\nc = 3"),
        (Edit(line=2, column=0, text="# b\n"), "a = 1\n# b\nb = 2\nc = 3"),
        (Edit(line=1, column=0, text="z\n", replaces=2), "z\nc = 3"),
        (Edit(line=3, column=0, text="z\n", replaces=1), "a = 1\nb = 2\nz\n"),
        (Edit(line=2, column=0, text="", replaces=1), "a = 1\nc = 3"),
    ],
)
def test_an_edit_inserts_or_replaces_whole_lines(edit: Edit, after: str) -> None:
    assert edited(TEXT, edit) == after


@pytest.mark.parametrize(
    "edit",
    [
        Edit(line=4, column=0, text="x"),
        Edit(line=1, column=9, text="x"),
        Edit(line=3, column=0, text="", replaces=2),
    ],
)
def test_a_place_that_the_text_does_not_have_is_refused(edit: Edit) -> None:
    with pytest.raises(ValueError, match="has no line"):
        edited(TEXT, edit)


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
@pytest.mark.parametrize(
    ("edit", "after"),
    [
        (Edit(line=2, column=4, text="x +\n "), "a = 1\nb = x +\n 2\nc = 3"),
        (Edit(line=2, column=0, text="y\nz\n", replaces=1), "a = 1\ny\nz\nc = 3"),
        (Edit(line=3, column=0, text="z\n", replaces=1), "a = 1\nb = 2\nz\n"),
    ],
)
def test_the_lines_of_an_edit_end_as_those_of_the_text(end: str, edit: Edit, after: str) -> None:
    assert edited(TEXT.replace("\n", end), edit) == after.replace("\n", end)
