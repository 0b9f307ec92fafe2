"""The person's own text, and why it cannot be read.

In: text as it stood in a cell or file. Out: `Source`, places in it, `ProgramError`.
All lines that leave this package count from 1 in the person's cell or file, magic line included.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from kernelgate.report.bounded import clean, one_line, to_lines
from kernelgate.report.types import Edit, ExcerptLine, Failure, Place
from kernelgate.report.wording import lower_first

_AROUND = 2  # lines shown before and after the marked one


class ProgramError(Exception):
    """The text cannot be read as a candidate. `line` is a line of the person's cell or file; `edit` is what certainly
    lets the text be read.

    Verdict kind: "read".
    """

    def __init__(self, what: str, line: int | None, next_step: str, edit: Edit | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.line = line
        self.next_step = next_step
        self.edit = edit

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        return f"Cannot be read: {lower_first(self.what)}"


class _Passage(Protocol):
    @property
    def text(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def first_line(self) -> int: ...


class _Asked(_Passage, Protocol):
    @property
    def above(self) -> Sequence[_Passage]: ...


@dataclass(frozen=True)
class Source:
    """A text and where it stands; its first line is line `first_line` of the cell: 2 below a magic line, 0 if it
    has no place. `above`: passages of other cells whose names the text uses, in the order in which they run."""

    text: str
    label: str
    first_line: int = 1
    above: tuple[Source, ...] = ()

    @classmethod
    def of(cls, asked: _Asked) -> Source:
        """The program of a job."""
        above = tuple(cls(one.text, one.label, one.first_line) for one in asked.above)
        return cls(asked.text, asked.label, asked.first_line, above)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        return tuple(to_lines(self.text))

    def cell_line(self, text_line: int | None) -> int | None:
        """The cell's number of a line of `text`; None if there is no such line."""
        if text_line is None or not self.first_line or not 1 <= text_line <= len(self.lines):
            return None
        return text_line + self.first_line - 1

    def place(self, cell_line: int | None, column: int | None = None) -> Place:
        """The place of a line of the cell, with two lines of the person's text before and after it."""
        label = one_line(self.label, 120) or "program"
        index = None if cell_line is None else cell_line - self.first_line
        if index is None or not 0 <= index < len(self.lines):
            return Place(label=label)
        excerpt = [
            ExcerptLine(
                line=at + self.first_line,
                text=clean(self.lines[at][:1000]).replace("\n", " ")[:400],
                marked=at == index,
            )
            for at in range(max(0, index - _AROUND), min(len(self.lines), index + _AROUND + 1))
        ]
        return Place(label=label, line=cell_line, column=column, excerpt=excerpt)


def unreadable(source: Source, error: ProgramError) -> Failure:
    """The report's failure for a text that `read` refused."""
    return Failure(
        stage="build",
        what=one_line(error.what, 600),
        where=source.place(error.line),
        next_step=one_line(error.next_step, 600),
        fix=error.edit.text.strip("\n") if error.edit is not None else None,
        edit=error.edit,
    )
