"""The sizes of a reference, set in a candidate that spells them out as well.

In: the texts of both. Out: the candidate's text, on the same lines. A program that repeats `N = 4096`, and computes
with it, means the problem's N; if that is set to another size for the run, so is the candidate's.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from kernelgate.check.sizes.numbers import Number, numbers_in

_DRAWING = ("get_inputs", "get_init_inputs")


def shared_in_class(reference: str, candidate: str) -> set[str]:
    """The reference's names of numbers in classes that the candidate has too, with the same value; of Model's, under
    ModelNew's name."""
    theirs = _numbers(candidate)
    return {
        name
        for name, number in numbers_in(ast.parse(reference)).items()
        if number.in_class and any(_same(number, theirs.get(one)) for one in _names(name))
    }


def with_sizes(candidate: str, reference: str, sizes: Mapping[str, int]) -> str:
    """The candidate with the reference's sizes: each number that it has too, and reads, is set to the same."""
    ours, theirs = numbers_in(ast.parse(reference)), _numbers(candidate)
    read = _names_read(ast.parse(candidate))
    places: list[tuple[ast.expr, int]] = []
    for name, size in sizes.items():
        for one in _names(name):
            number = theirs.get(one)
            used = number is not None and (number.in_class or one.partition("[")[0] in read)
            if used and number is not None and name in ours and _same(ours[name], number):
                places.append((number.node, size))
    return _replaced(candidate, places)


def _same(ours: Number, theirs: Number | None) -> bool:
    return theirs is not None and ours.value == theirs.value


def _names(name: str) -> tuple[str, ...]:
    """Of a number in Model, what it is called in a candidate: `ModelNew.WIDTH`, and of any class its own name."""
    owner, dot, rest = name.partition(".")
    return (name, f"ModelNew{dot}{rest}") if owner == "Model" else (name,)


def _numbers(candidate: str) -> dict[str, Number]:
    """Those on one line, which can be replaced in the text; none of the functions that draw inputs."""
    return {
        name: number
        for name, number in numbers_in(ast.parse(candidate)).items()
        if number.node.lineno == number.node.end_lineno and not name.startswith(_DRAWING)
    }


def _names_read(tree: ast.Module) -> set[str]:
    """The names that a module reads, without those in its functions that draw inputs."""
    parts = [n for n in tree.body if not (isinstance(n, ast.FunctionDef) and n.name in _DRAWING)]
    return {
        node.id
        for part in parts
        for node in ast.walk(part)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }


def _replaced(text: str, places: list[tuple[ast.expr, int]]) -> str:
    rows = text.encode().split(b"\n")
    for node, size in sorted(places, key=lambda place: (place[0].lineno, place[0].col_offset), reverse=True):
        row = rows[node.lineno - 1]
        rows[node.lineno - 1] = row[: node.col_offset] + str(size).encode() + row[node.end_col_offset :]
    return b"\n".join(rows).decode()
