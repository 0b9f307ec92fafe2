"""Reads what g++, nvcc, NVRTC and ld print, and maps its lines to those of the person's text.

In: the output of a build, ninja's lines included. Out: diagnostics, their places, and the log cut to what a report
holds. load_inline puts its own includes before the program's sources: line 23 of cuda.cu is line 20 of cuda_sources.
The lines that a log quotes show whether its tool counted those includes. Not here: what an error means
(`repair.diagnostics`).
"""

from __future__ import annotations

import re
from typing import Literal

from kernelgate.messages.failures import CompilerFailed, Diagnostic
from kernelgate.program.candidate import Candidate
from kernelgate.report.bounded import clean, cut
from kernelgate.report.types import Place

Severity = Literal["error", "warning", "note"]

MAX_LOG = 20_000
_MOST_DIAGNOSTICS = 200
_SEVERITIES: dict[str, Severity] = {
    "error": "error",
    "fatal error": "error",
    "catastrophic error": "error",
    "warning": "warning",
    "note": "note",
    "remark": "note",
}
_GCC = re.compile(
    r"^(?P<unit>[^\s:][^:\n]*):(?P<line>\d+):(?:(?P<column>\d+):)? (?P<severity>[a-z ]+): (?P<message>.+)$"
)
_NVCC = re.compile(
    r"^(?P<unit>[^\s(][^(\n]*)\((?P<line>\d+)\): (?P<severity>[a-z ]+?)(?: #[\w-]+)?: (?P<message>.+)$"
)
# Tools whose errors name no line of a source.
_OTHER = (
    re.compile(r"^(?P<unit>nvcc|ptxas|nvlink|cicc)\s+(?:fatal|error)\s*: (?P<message>.+)$"),
    re.compile(r"^(?P<unit>ptxas) \S+, line \d+; (?:fatal|error)\s*: (?P<message>.+)$"),
    re.compile(
        r"^\S*?(?P<unit>ld)(?:\.\w+)?: "
        r"(?P<message>cannot find .+|.*(?:undefined reference to|multiple definition of) .+)$"
    ),
    # Its first row names the function; the second, without its name, the place and the error.
    re.compile(r"^[^\s:]+:(?:\d+:|\([^)\s]*\):) (?P<message>multiple definition of .+)$"),
    re.compile(r"^(?:\S+: )*(?P<unit>[\w./+-]*(?:nvcc|g\+\+|c\+\+)): (?P<message>(?:command )?not found)$"),
    re.compile(r"^(?P<unit>[\w+-]+): fatal error: (?P<message>Killed signal .+)$"),
)
_GCC_QUOTE = re.compile(r"^ *(\d+) \| (.*)$")


def parse_compiler_log(log: str) -> list[Diagnostic]:
    """The diagnostics, in the log's order. Lines count in the compiled file; 0: none named."""
    found: list[Diagnostic] = []
    for row in _rows(log):
        diagnostic = _diagnostic(row)
        if diagnostic is not None:
            found.append(diagnostic)
            if len(found) == _MOST_DIAGNOSTICS:
                break
    return found


def quoted_lines(log: str) -> dict[tuple[str, int], str]:
    """The source lines that the compilers quote below their diagnostics, by unit and line, stripped."""
    quotes: dict[tuple[str, int], str] = {}
    last: Diagnostic | None = None
    for row in _rows(log):
        diagnostic = _diagnostic(row)
        if diagnostic is not None:
            last = diagnostic
        elif last is not None and last.line:
            gcc = _GCC_QUOTE.match(row)
            if gcc is not None and int(gcc.group(1)) == last.line:
                quotes.setdefault((last.unit, last.line), gcc.group(2).strip())
            elif gcc is None and row.startswith("  ") and row.strip() not in ("", "^"):
                quotes.setdefault((last.unit, last.line), row.strip())
            last = None
    return quotes


def bounded_log(log: str) -> tuple[str, int]:
    """The log within a report's bound, both ends kept, and how many lines it had."""
    text = clean(log).strip("\n")
    return cut(text, MAX_LOG), text.count("\n") + 1 if text else 0


def _rows(log: str) -> list[str]:
    return clean(log).replace("‘", "'").replace("’", "'").split("\n")


def _diagnostic(row: str) -> Diagnostic | None:
    if len(row) > 4000:
        return None  # a command line that ninja repeats
    for pattern in (_GCC, _NVCC):
        found = pattern.match(row)
        severity = _SEVERITIES.get(found.group("severity")) if found is not None else None
        if found is not None and severity is not None and len(found.group("line")) < 9:
            column = found.groupdict().get("column")
            return Diagnostic(
                unit=found.group("unit").rsplit("/", 1)[-1][:200],
                line=int(found.group("line")),
                column=int(column) if column and len(column) < 9 else 0,
                severity=severity,
                message=found.group("message")[:1500],
            )
    for pattern in _OTHER:
        found = pattern.match(row)
        if found is not None:
            unit = (found.groupdict().get("unit") or "ld").rsplit("/", 1)[-1][:200]
            return Diagnostic(
                unit=unit, line=0, column=0, severity="error", message=found.group("message")[:1500]
            )
    return None


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

    def source(self, unit: str) -> str:
        return "\n".join(self._rows.get(unit, []))

    def row(self, diagnostic: Diagnostic) -> int | None:
        """The line of the program's Python that a diagnostic is about; None if it is about none."""
        if not self.text(diagnostic):
            return None
        return self._candidate.source_line(self.source(diagnostic.unit), self.line(diagnostic))

    def place_in(self, unit: str, line: int) -> Place:
        """The line of the person's program that holds a line of a source, counted from 1 in that source."""
        return self._candidate.cuda_place(unit, self.source(unit), line, self._call_line())

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
