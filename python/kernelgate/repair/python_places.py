"""Places that `ast` gives, in the text of a program: `ast` counts lines from 1, and columns in bytes of UTF-8.

In: Python, and a node of its tree. Out: offsets in characters, or the text with nodes replaced. Not here: where an edit
goes in the person's cell (`repair.line_edits`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable


def offset(python: str, line: int, column: int) -> int:
    """Of a place, in characters."""
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
