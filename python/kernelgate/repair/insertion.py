"""Where a fix goes in the person's own text: into the string literal that they passed to load_inline.

In: a candidate, one of its load_inline calls, and lines of C++. Out: `Edit`, or None where the text alone
leaves a doubt: sources that are computed, assigned twice or formatted. Every insertion was tried on the text.
Not here: which lines fix what (`repair.diagnostics`).
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from dataclasses import dataclass
from typing import Literal

from kernelgate.program.candidate import Candidate
from kernelgate.program.extensions import LoadInline
from kernelgate.repair.python_places import span
from kernelgate.report.types import Edit

_OPENING = re.compile(r"([A-Za-z]{0,2})(\"\"\"|'''|\"|')")


@dataclass(frozen=True)
class _Quoted:
    """A literal as it is written: where its text begins and ends, as offsets in the program."""

    begin: int
    end: int
    value: str
    newline: str | None
    """How a line break is written in it; None where it cannot be."""
    formatted: bool


def insertion(
    candidate: Candidate, call: LoadInline | None, argument: str, code: str, at: Literal["top", "end"]
) -> Edit | None:
    """Where to write the lines `code` at the top or the end of an argument of a load_inline call."""
    if candidate.language == "cuda":
        return _before_first_include(candidate, code) if at == "top" else None
    parts = call.literals.get(argument, ()) if call is not None else ()
    quoted = _quoted(candidate.python, parts[0 if at == "top" else -1], at) if parts else None
    if quoted is None:
        return None
    text = _written(code, quoted, at)
    if text is None:
        return None
    offset = quoted.begin if at == "top" else quoted.end
    fixed = candidate.python[:offset] + text + candidate.python[offset:]
    return _in_cell(candidate, offset, text) if _adds(candidate.python, fixed, quoted, code) else None


def _before_first_include(candidate: Candidate, code: str) -> Edit | None:
    lines = candidate.source.lines
    found = (n for n, row in enumerate(lines, start=1) if re.match(r"[ \t]*#[ \t]*include\b", row))
    line = candidate.source.cell_line(next(found, None))
    return Edit(line=line, column=0, text=f"{code}\n") if line is not None else None


def _quoted(python: str, node: ast.expr, at: Literal["top", "end"]) -> _Quoted | None:
    """The one literal that `node` is; None for anything else. Of a formatted one the text `at` its top or end."""
    part = node.values[0 if at == "top" else -1] if isinstance(node, ast.JoinedStr) and node.values else node
    if not isinstance(part, ast.Constant) or not isinstance(part.value, str):
        return None
    begin, end = span(python, node)
    written = python[begin:end]
    opening = _OPENING.match(written)
    if opening is None or not _is_one_literal(written):
        return None
    prefix, quote = opening.group(1).lower(), opening.group(2)
    newline = "\n" if len(quote) == 3 else None if "r" in prefix else "\\n"
    return _Quoted(begin + opening.end(), end - len(quote), part.value, newline, part is not node)


def _is_one_literal(written: str) -> bool:
    """A formatted literal is a token until Python 3.11, and begins with one since."""
    begins = (tokenize.STRING, getattr(tokenize, "FSTRING_START", -1))
    tokens = tokenize.generate_tokens(io.StringIO(written).readline)
    return sum(token.type in begins for token in tokens) == 1


def _written(code: str, quoted: _Quoted, at: Literal["top", "end"]) -> str | None:
    """The lines as they are written within the literal; None where they cannot be."""
    value, newline = quoted.value, quoted.newline
    if re.search(r"[\"'\\]", code):
        return None
    code = code.replace("{", "{{").replace("}", "}}") if quoted.formatted else code
    alone = value == "" and "\n" not in code
    if newline is None:
        return code if alone else None
    lines = code.replace("\n", newline)
    if alone:
        return lines
    if at == "top":
        return newline + lines if value.startswith("\n") else lines + newline
    before = "" if value == "" or value.endswith("\n") else newline
    after = newline if value.endswith("\n") else ""
    return before + lines + after


def _adds(python: str, fixed: str, quoted: _Quoted, code: str) -> bool:
    """Whether the program differs in that literal only, and by those lines only."""
    try:
        before, after = ast.parse(python), ast.parse(fixed)
    except SyntaxError:
        return False
    old, new = _strings(before), _strings(after)
    changed = [(one, other) for one, other in zip(old, new, strict=False) if one != other]
    if len(old) != len(new) or len(changed) != 1 or changed[0][0] != quoted.value:
        return False
    rows, wanted = changed[0][1].split("\n"), code.split("\n")
    return any(rows[n : n + len(wanted)] == wanted for n in range(len(rows)))


def _strings(tree: ast.Module) -> list[str]:
    return [
        node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def _in_cell(candidate: Candidate, offset: int, text: str) -> Edit | None:
    before = candidate.python[:offset]
    python_line = before.count("\n") + 1
    column = offset - (before.rfind("\n") + 1)
    line = candidate.line(python_line)
    at = line - candidate.source.first_line if line is not None else -1
    rows, lines = candidate.python.split("\n"), candidate.source.lines
    # What was indented as a whole, or cut out of an answer, may stand elsewhere in the cell.
    same = 0 <= at < len(lines) and lines[at] == rows[python_line - 1]
    return Edit(line=line, column=column, text=text) if line is not None and same else None
