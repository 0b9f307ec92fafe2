"""A candidate: the program to execute, and the way from its lines back to the person's.

In: what `read` found. Out: `Candidate`. Nothing here runs or judges it.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from kernelgate.program.extensions import LoadInline, load_inline_calls
from kernelgate.program.kind import triton_kernels
from kernelgate.program.literals import Literal as StringLiteral
from kernelgate.program.literals import literals
from kernelgate.program.source import Source
from kernelgate.report.bounded import to_lines
from kernelgate.report.types import Place

CANDIDATE_FILE = "<candidate>"
"""The file that a program's Python is of, while it runs."""


_MAKES_STREAMS = re.compile(r"\b(?:getStreamFromPool|cudaStreamCreate\w*|cuda\.Stream|ExternalStream)\b")


@dataclass(frozen=True)
class Candidate:
    """`python` defines ModelNew. `line_map[k]` is the line of `source.text` behind line k + 1 of
    `python`; None if the line is ours, or of another cell: those passages, `source.above`, stand together below
    line `above_at`. `sha256` is that of `source.text`. `kernels` are the names of all.
    """

    source: Source
    python: str
    language: Literal["python", "cuda"]
    kernels: tuple[str, ...]
    sha256: str
    line_map: tuple[int | None, ...]
    reading: str = ""
    """Which part of an answer is the program, or which other cells belong to it; one sentence."""
    above_at: int = 0
    keeps_numbers: bool = False
    """Its numbers are its own, and not the problem's sizes, whatever they are called."""

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.python)

    @property
    def makes_streams(self) -> bool:
        """Whether it names what makes a second stream, in Python or in C++."""
        return _MAKES_STREAMS.search(self.python) is not None

    @cached_property
    def literals(self) -> list[StringLiteral]:
        """The string literals of `python`."""
        return literals(self.python)

    @cached_property
    def extensions(self) -> list[LoadInline]:
        """The load_inline calls of `python`, in order of their lines."""
        return load_inline_calls(self.tree)

    @cached_property
    def triton_kernels(self) -> list[str]:
        """The names of its kernels in Triton."""
        return triton_kernels(self.tree)

    def line(self, python_line: int | None) -> int | None:
        """The line of the person's cell behind a line of `python`."""
        if python_line is None or not 1 <= python_line <= len(self.line_map):
            return None
        return self.source.cell_line(self.line_map[python_line - 1])

    def place(self, python_line: int | None, column: int | None = None) -> Place:
        """Where a line of `python` stands in the person's cells; without a line if there is none."""
        if python_line is not None:
            below = python_line - self.above_at
            for passage in self.source.above:
                if 1 <= below <= len(passage.lines):
                    return passage.place(passage.cell_line(below), column)
                below -= len(passage.lines)
        return self.source.place(self.line(python_line), column)

    def cuda_place(self, unit: str, unit_text: str | None, line: int, call_line: int | None = None) -> Place:
        """The place behind line `line` of `unit_text`, a source that the program passed to load_inline.

        unit: "cuda.cu" or "main.cpp". call_line: the line of `python` of that load_inline call; the call
        itself is the place of a line that is found nowhere else, and of lines of other units.
        """
        found = None
        if unit_text is not None and unit in ("cuda.cu", "main.cpp"):
            found = self.source_line(unit_text, line)
        if found is None:
            found = call_line if call_line is not None else self._only_call(unit)
        return self.place(found)

    def source_line(self, unit_text: str, line: int) -> int | None:
        """The line of `python` that holds line `line` of a source; None if no literal certainly does."""
        return self._literal_line(unit_text, line) or self._same_line(unit_text, line)

    def extension(self, name: str | None, call_line: int | None = None) -> LoadInline | None:
        """The load_inline call at a line, or of that name; the first one if neither says."""
        for call in self.extensions:
            if call_line is not None and call.line <= call_line <= call.end_line:
                return call
        named = [call for call in self.extensions if call.name == name]
        found = named or self.extensions
        return found[0] if found else None

    def _literal_line(self, unit_text: str, line: int) -> int | None:
        """The line within the longest literal that stands, unchanged, over this line of the unit."""
        rows = unit_text.split("\n")
        if not 1 <= line <= len(rows) or not rows[line - 1].strip():
            return None
        start = sum(len(row) + 1 for row in rows[: line - 1])
        end = start + len(rows[line - 1])
        for literal in sorted(self.literals, key=lambda each: -len(each.value)):
            if not literal.value.strip():
                break
            length = len(literal.value)
            at = unit_text.find(literal.value, max(0, start - length), end + length)
            while 0 <= at < end:
                covered = unit_text[max(start, at) : min(end, at + length)]
                if covered.strip() == rows[line - 1].strip():
                    return literal.line_of(line - unit_text.count("\n", 0, at))
                at = unit_text.find(literal.value, at + 1, end + length)
        return None

    def _same_line(self, unit_text: str, line: int) -> int | None:
        """The one line of a string of the program that reads the same; for strings that were computed."""
        rows = unit_text.split("\n")
        wanted = rows[line - 1].strip() if 1 <= line <= len(rows) else ""
        if len(wanted) < 3:
            return None
        same = {
            literal.line_of(number)
            for literal in self.literals
            for number, row in enumerate(to_lines(literal.value), start=1)
            if row.strip() == wanted
        }
        return same.pop() if len(same) == 1 else None

    def _only_call(self, unit: str) -> int | None:
        call = self.extensions[0] if self.extensions else None
        if call is None:
            return None
        return call.line_of("cpp_sources") if unit == "main.cpp" and len(self.extensions) == 1 else call.line
