"""What a program needs of others: names that it uses and does not bind, and the newest statements that bind them.

In: syntax trees of cells or code blocks. Out: names, and lines of Python. Nothing is executed.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Sequence

from kernelgate.program.kind import bindings

_BINDS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)


def free_names(tree: ast.Module) -> set[str]:
    """Names that are used and that neither the text nor Python itself binds."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    stored = {node.id for node in nodes if not isinstance(node.ctx, ast.Load)}
    stored |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)} | set(dir(builtins))
    used = {node.id for node in nodes if isinstance(node.ctx, ast.Load)} - stored
    return {name for name in used if not any(True for _ in bindings(tree, name))}


def gathered(names: Iterable[str], trees: Sequence[ast.Module]) -> list[str]:
    """The lines that bind these names, and what those need in turn: imports, functions, classes and values, each from
    the first of the trees that has it. What is needed comes first; a name that is bound nowhere is left out."""
    found: list[ast.stmt] = []
    known: set[str] = set()

    def visit(name: str) -> None:
        if name in known:
            return
        known.add(name)
        statement = next((bound[-1] for tree in trees if (bound := list(bindings(tree, name)))), None)
        if isinstance(statement, _BINDS) and statement not in found:
            for needed in sorted(free_names(ast.Module([statement], []))):
                visit(needed)
            found.append(statement)

    for name in sorted(names):
        visit(name)
    return [line for statement in found for line in ast.unparse(statement).split("\n")]
