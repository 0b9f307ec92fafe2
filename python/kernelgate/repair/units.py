"""Maps a compiler's line to the line of the person's text.

load_inline puts its own includes before the program's sources: line 23 of cuda.cu is line 20 of cuda_sources.
In: a failed build. Out: places. The lines that a log quotes show whether its tool counted those includes.
"""

from __future__ import annotations

import re

from kernelgate.messages.failures import CompilerFailed, Diagnostic
from kernelgate.program.candidate import Candidate
from kernelgate.repair.compiler_log import quoted_lines
from kernelgate.report.types import Place

INCLUDES_BEFORE = {"main.cpp": 1, "cuda.cu": 3}
"""How many lines load_inline puts before the sources by default."""
# A name that a message quotes, and no type of the language: many lines have one of those.
_NAMED = re.compile(
    r"['\"](?!(?:void|bool|char|short|int|long|float|double|signed|unsigned|auto|const)['\"])([A-Za-z_]\w{2,})['\"]"
)
_INSTANTIATED = (
    re.compile(r"(?P<unit>cuda\.cu|main\.cpp):(?P<line>\d+):\d+:\s+required from"),
    re.compile(r"at line (?P<line>\d+) of \"?\S*(?P<unit>cuda\.cu|main\.cpp)"),
)


class Units:
    """The sources of one failed build, and the numbering of its diagnostics."""

    def __init__(self, candidate: Candidate, failed: CompilerFailed, diagnostics: list[Diagnostic]) -> None:
        self._candidate = candidate
        self._failed = failed
        self._quotes = quoted_lines(failed.log)
        self._rows = {
            "main.cpp": failed.cpp_sources.split("\n"),
            "cuda.cu": failed.cuda_sources.split("\n"),
        }
        self._before = {unit: self._includes_before(unit, diagnostics) for unit in self._rows}

    def text(self, diagnostic: Diagnostic) -> str:
        """The line of the program's source that a diagnostic is about; "" if it is about none."""
        rows = self._rows.get(diagnostic.unit, [])
        line = self.line(diagnostic)
        return rows[line - 1] if 1 <= line <= len(rows) else ""

    def line(self, diagnostic: Diagnostic) -> int:
        """The line within the program's source, counted from 1."""
        return diagnostic.line - self._before.get(diagnostic.unit, 0)

    def row(self, diagnostic: Diagnostic) -> int | None:
        """The line of the program's Python that a diagnostic is about; None if it is about none."""
        if not self.text(diagnostic):
            return None
        return self._candidate.source_line(self.source(diagnostic.unit), self.line(diagnostic))

    def source(self, unit: str) -> str:
        return "\n".join(self._rows.get(unit, []))

    def place(self, diagnostic: Diagnostic) -> Place:
        """The line in the person's program; that of the load_inline call if none of their sources has the line."""
        unit, line = diagnostic.unit, diagnostic.line
        if unit not in self._rows and line:
            unit, line = self._instantiated() or (unit, line)
        return self._candidate.cuda_place(
            unit,
            self.source(unit) if unit in self._rows else None,
            line - self._before.get(unit, 0),
            self._call_line(),
        )

    def place_in(self, unit: str, line: int) -> Place:
        """The line of the person's program that holds a line of a source, counted from 1 in that source."""
        return self._candidate.cuda_place(unit, self.source(unit), line, self._call_line())

    def argument_place(self, argument: str) -> Place:
        """The line where the load_inline call gives an argument."""
        call = self._candidate.extension(self._failed.extension, self._failed.call_line)
        return self._candidate.place(call.line_of(argument) if call is not None else self._failed.call_line)

    def _call_line(self) -> int | None:
        call = self._candidate.extension(self._failed.extension, self._failed.call_line)
        return call.line if call is not None else self._failed.call_line

    def _instantiated(self) -> tuple[str, int] | None:
        for pattern in _INSTANTIATED:
            found = pattern.search(self._failed.log)
            if found is not None and len(found.group("line")) < 9:
                return found.group("unit"), int(found.group("line"))
        return None

    def _includes_before(self, unit: str, diagnostics: list[Diagnostic]) -> int:
        rows = self._rows[unit]

        def agreeing(before: int) -> int:
            score = 0
            for each in diagnostics:
                line = each.line - before
                row = rows[line - 1].strip() if each.unit == unit and 1 <= line <= len(rows) else ""
                quote = self._quotes.get((unit, each.line), "")
                # nvcc quotes lines with macros expanded: then the names in its message have to do.
                score += 10 * bool(row and row == quote)
                score += sum(name in row for name in _NAMED.findall(each.message)) if row else 0
            return score

        # Undecided: torch's load_inline, which builds with ninja, counts its includes; emulation does not.
        usual = INCLUDES_BEFORE[unit] if "ninja: " in self._failed.log else 0
        return max((usual, 0, INCLUDES_BEFORE[unit]), key=agreeing)
