"""Reads what g++, nvcc, NVRTC and ld print.

In: the output of a build, ninja's lines included. Out: diagnostics, and the log cut to what a report holds.
Not here: what an error means (`repair.diagnostics`).
"""

from __future__ import annotations

import re
from typing import Literal

from kernelgate.messages.failures import Diagnostic
from kernelgate.report.bounded import clean, cut

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
