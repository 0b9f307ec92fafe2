"""A problem of kernelbench.com: `reference.py`, whose numbers `shapes.py` sets for each row, as a reference of ours.

In: the texts of both. Out: a reference for each shape. `check.py` and `benchmark.py` of the problem are not run: what
they draw in another way for a shape is drawn by `get_inputs()` here.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from kernelgate.formats import FormatError


def shapes(text: str) -> list[dict[str, Any]]:
    """The rows of SHAPES, which are read and never run. Raises FormatError."""
    for node in _parsed(text, "shapes.py").body:
        if isinstance(node, ast.Assign) and any(ast.unparse(target) == "SHAPES" for target in node.targets):
            try:
                found = ast.literal_eval(node.value)
            except ValueError:
                break
            if isinstance(found, list) and found and all(isinstance(one, dict) for one in found):
                return found
    raise FormatError("shapes.py has no SHAPES, a list of dictionaries", "Write each number out")


def reference_text(text: str, shape: Mapping[str, Any]) -> str:
    """The reference with the numbers of a shape, by their names in small or capital letters. What it has no name for
    stays with check.py, and must be off: False, 0 or None. Raises FormatError."""
    tree = _parsed(text, "reference.py")
    left = {name.lower(): value for name, value in shape.items()}
    rows = text.split("\n")
    for node in tree.body:
        name = ast.unparse(node.targets[0]) if isinstance(node, ast.Assign) and len(node.targets) == 1 else ""
        if isinstance(node, ast.Assign) and name.lower() in left and node.lineno == node.end_lineno:
            rows[node.lineno - 1] = f"{name} = {left.pop(name.lower())!r}"
    unknown = [name for name, value in left.items() if value]
    if unknown:
        raise FormatError(
            f"reference.py has no number {unknown[0].upper()}, which shapes.py sets",
            "Draw it in get_inputs() of the reference by a number of that name",
        )
    return "\n".join(rows)


def _parsed(text: str, name: str) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError) as exc:
        raise FormatError(f"{name} is no Python: {exc}", "Give the files of the problem as they are") from None
