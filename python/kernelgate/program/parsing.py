"""Parses Python that came from a notebook, keeping every line where it was.

In: text of a cell, with what IPython adds to Python. Out: Python of as many lines, and its syntax tree.
"""

from __future__ import annotations

import ast
import re
import symtable
import textwrap
import warnings
from collections.abc import Iterable, Iterator

from kernelgate.report.bounded import to_lines

_NOTEBOOK_LINE = re.compile(r"\s*(?:%|!)")
_MOST_NOTEBOOK_LINES = 50
# Compiling takes time quadratic in the functions of a block. A longer block shows its error when loaded.
_MOST_LINES_COMPILED = 5_000


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
    """The tree, or None if the text is no Python."""
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
            symtable.symtable(text, "<candidate>", "exec")  # finds more than parsing does: a name declared twice
            for block in _blocks(tree):
                if (block[-1].end_lineno or 0) - block[-1].lineno < _MOST_LINES_COMPILED:
                    # And this finds one thing more: a return outside of a function.
                    compile(ast.Module(block, type_ignores=[]), "<candidate>", "exec", dont_inherit=True)
        return tree
    except (RecursionError, MemoryError) as error:
        raise TooDeep from error
    except ValueError as error:  # NUL bytes, lone surrogates
        raise SyntaxError(str(error)) from error


def _blocks(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    """Statements that can be compiled by themselves: a class without its body, then what stands in it."""
    first = next((at for at, each in enumerate(tree.body) if not _may_precede_future(each)), len(tree.body))
    late = [each for each in tree.body[first:] if _is_future(each)]
    if late:  # it is wrong by what stands before it
        yield [tree.body[first], late[0]]
    yield from ([statement] for statement in _separate(tree.body))


def _may_precede_future(statement: ast.stmt) -> bool:
    text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return _is_future(statement) or text


def _is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def _separate(statements: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in statements:
        if isinstance(statement, ast.ClassDef):
            yield ast.copy_location(_without_body(statement), statement)
            yield from _separate(statement.body)
        else:
            yield statement


def _without_body(statement: ast.ClassDef) -> ast.ClassDef:
    fields = {name: value for name, value in ast.iter_fields(statement) if name != "body"}
    body: list[ast.stmt] = [ast.copy_location(ast.Pass(), statement)]
    return ast.ClassDef(**fields, body=body)
