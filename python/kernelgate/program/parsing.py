"""Parses Python that came from a notebook, keeping every line where it was.

In: text of a cell, with what IPython adds to Python. Out: Python of as many lines, and its syntax tree.
"""

from __future__ import annotations

import ast
import re
import textwrap
import warnings

from kernelgate.program.source import to_lines

_NOTEBOOK_LINE = re.compile(r"\s*(?:%|!)")
_MOST_NOTEBOOK_LINES = 50
# In odd cases compiling takes time by the square of the length; a longer text shows its error when loaded.
_MOST_COMPILED = 200_000


class TooDeep(Exception):
    """Nested too deeply for Python's parser."""


def parse_python(text: str) -> tuple[str, ast.Module]:
    """The Python to execute and its tree. Notebook lines become empty; a common indent goes.

    Raises SyntaxError, as Python would, with the line in `text`; TooDeep.
    """
    text = without_leading_magics(text)
    if re.match(r"\s*\n?[ \t]+\S", text.lstrip("\n")):
        text = textwrap.dedent(text)
    for _ in range(_MOST_NOTEBOOK_LINES):
        try:
            return text, _parse(text)
        except SyntaxError as error:
            # A magic in the middle of a program; inside of a string it is no syntax error and stays.
            lines = to_lines(text)
            at = (error.lineno or 0) - 1
            if not 0 <= at < len(lines) or not _NOTEBOOK_LINE.match(lines[at]):
                raise
            text = "\n".join([*lines[:at], "", *lines[at + 1 :]])
    return text, _parse(text)


def python_tree(text: str) -> ast.Module | None:
    """The tree, or None where the text is no Python."""
    try:
        return parse_python(text)[1]
    except (SyntaxError, TooDeep):
        return None


def without_leading_magics(text: str) -> str:
    """Lines that start with % or ! before the first line of code become empty."""
    lines = to_lines(text.removeprefix("\ufeff"))
    for at, line in enumerate(lines):
        if _NOTEBOOK_LINE.match(line):
            lines[at] = ""
        elif line.strip():
            break
    return "\n".join(lines)


def _parse(text: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "\d" in a string: Python says so itself when the program runs
            tree = ast.parse(text)
            if len(text) <= _MOST_COMPILED:  # finds more than parsing does: a lone return
                compile(text, "<candidate>", "exec", dont_inherit=True)
        return tree
    except (RecursionError, MemoryError) as error:
        raise TooDeep from error
    except ValueError as error:  # NUL bytes, lone surrogates
        raise SyntaxError(str(error)) from error
