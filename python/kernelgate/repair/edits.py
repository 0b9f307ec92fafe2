"""Edits of a program: whole lines of the person's cell, or text within a literal that they pass to load_inline.

In: a candidate, and its Python as it should read, or lines of C++ for one of its sources. Out: `Fix`, or `Edit`; None
if the text alone leaves a doubt: lines that were indented as a whole, cut out of an answer, or are ours; sources that
are computed, assigned twice or formatted. Not here: which change removes which error.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from kernelgate.program.candidate import Candidate
from kernelgate.program.extensions import LoadInline
from kernelgate.report.types import Edit

_MOST_ROWS = 60
_OPENING = re.compile(r"([A-Za-z]{0,2})(\"\"\"|'''|\"|')")


@dataclass(frozen=True)
class Fix:
    """`text` as it is shown; `edit` writes it. `next_step`: what it does, in words."""

    text: str
    edit: Edit
    next_step: str


def rewriting(candidate: Candidate, changed: str | None, step: str) -> Fix | None:
    """The rows that differ in `changed`, the program with its fix; None if nothing does."""
    found = rewritten(candidate, changed) if changed is not None else None
    return Fix(*found, step) if found is not None else None


def replaced_lines(candidate: Candidate, first: int, last: int, rows: Sequence[str]) -> Edit | None:
    """Lines `first` to `last` of the Python, as `rows`; removed if there are none."""
    line = _cell_line(candidate, first, last)
    if line is None or not _parses(candidate, first, last, rows):
        return None
    return Edit(line=line, column=0, text="".join(f"{row}\n" for row in rows), replaces=last - first + 1)


def lines_before(candidate: Candidate, line: int, rows: Sequence[str]) -> Edit | None:
    """`rows` above a line of the Python."""
    at = _cell_line(candidate, line, line)
    if at is None or not _parses(candidate, line, line - 1, rows):
        return None
    return Edit(line=at, column=0, text="".join(f"{row}\n" for row in rows))


def rewritten(candidate: Candidate, python: str) -> tuple[str, Edit] | None:
    """The rows that differ in `python`, the fixed program, and the edit that writes them; None if nothing does."""
    old, new = candidate.python.split("\n"), python.split("\n")
    top = next((at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), None)
    if top is None:
        return None
    below = 0
    while below < min(len(old), len(new)) - top and old[-1 - below] == new[-1 - below]:
        below += 1
    rows, last = new[top : len(new) - below], len(old) - below
    if len(rows) > _MOST_ROWS or last - top > _MOST_ROWS:
        return None
    edit = (
        replaced_lines(candidate, top + 1, last, rows)
        if last > top
        else lines_before(candidate, top + 1, rows)
    )
    return ("\n".join(rows), edit) if edit is not None else None


def _cell_line(candidate: Candidate, first: int, last: int) -> int | None:
    """The cell's line behind the first of these lines; None if the cell has other lines there."""
    rows, lines = candidate.python.split("\n"), candidate.source.lines
    if not 1 <= first <= last <= len(rows):
        return None
    line = candidate.line(first)
    at = line - candidate.source.first_line if line is not None else -1
    same = at >= 0 and list(lines[at : at + last - first + 1]) == rows[first - 1 : last]
    return line if same else None


def _parses(candidate: Candidate, first: int, last: int, rows: Sequence[str]) -> bool:
    lines = candidate.python.split("\n")
    try:
        ast.parse("\n".join([*lines[: first - 1], *rows, *lines[last:]]))
    except (SyntaxError, ValueError):
        return False
    return True


def offset(python: str, line: int, column: int) -> int:
    """Of a place, in characters; `ast` counts lines from 1, and columns in bytes of UTF-8."""
    rows = python.split("\n")
    return sum(len(row) + 1 for row in rows[: line - 1]) + len(rows[line - 1].encode()[:column].decode())


def span(python: str, node: ast.expr | ast.keyword) -> tuple[int, int]:
    """Where a node begins and ends."""
    end = offset(python, node.end_lineno or node.lineno, node.end_col_offset or 0)
    return offset(python, node.lineno, node.col_offset), end


def replaced(python: str, nodes: Iterable[ast.expr], text: str) -> str:
    """With `text` in place of each node. nodes: none within another."""
    for begin, end in sorted((span(python, node) for node in nodes), reverse=True):
        python = python[:begin] + text + python[end:]
    return python


@dataclass(frozen=True)
class _Quoted:
    """A literal as it is written: where its text begins and ends, as offsets in the program."""

    begin: int
    end: int
    value: str
    newline: str | None
    """How a line break is written in it; None if it cannot be."""
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
    """The lines as they are written within the literal; None if they cannot be."""
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
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
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
