"""The load_inline calls of a program, as far as its text shows them.

In: a syntax tree. Out: `LoadInline`s with the lines of their arguments; values that are computed stay None.
"""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass

_POSITIONS = ("name", "cpp_sources", "cuda_sources", "functions")


@dataclass(frozen=True)
class LoadInline:
    """One call. Lines are those of the program; an argument that is not given has none. `called_in`: __init__, forward
    or __call__, where it stands in one of them; "" elsewhere."""

    line: int
    end_line: int
    name: str | None
    lines: dict[str, int]
    cpp_sources: str | None
    functions: tuple[str, ...]
    called_in: str
    literals: dict[str, tuple[ast.expr, ...]]
    """Of an argument the expressions that are its text or texts, where a name in it is assigned once."""

    def line_of(self, argument: str) -> int:
        return self.lines.get(argument, self.line)


def load_inline_calls(tree: ast.Module) -> list[LoadInline]:
    names = {"load_inline"}
    constants: dict[str, ast.expr] = {}
    assigned: Counter[str] = Counter()
    called_in: dict[ast.AST, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names |= {alias.asname for alias in node.names if alias.name == "load_inline" and alias.asname}
        elif (
            isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
        ):
            constants.setdefault(node.targets[0].id, node.value)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            assigned[node.id] += 1
        elif isinstance(node, ast.FunctionDef) and node.name in ("__init__", "forward", "__call__"):
            called_in |= dict.fromkeys(ast.walk(node), node.name)
    calls = [
        _call(node, constants, assigned, called_in.get(node, ""))
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and _called(node) in names
    ]
    return sorted(calls, key=lambda call: call.line)


def _called(node: ast.Call) -> str | None:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else None


def _call(
    node: ast.Call, constants: dict[str, ast.expr], assigned: Counter[str], called_in: str
) -> LoadInline:
    arguments = dict(zip(_POSITIONS, node.args, strict=False))
    lines = {name: value.lineno for name, value in arguments.items()}
    for keyword in node.keywords:
        if keyword.arg is not None:
            arguments[keyword.arg] = keyword.value
            lines[keyword.arg] = keyword.lineno
    functions = _resolved(arguments.get("functions"), constants)
    listed = functions.elts if isinstance(functions, (ast.List, ast.Tuple)) else [functions]
    if isinstance(functions, ast.Dict):
        listed = [key for key in functions.keys if key is not None]
    return LoadInline(
        line=node.lineno,
        end_line=node.end_lineno or node.lineno,
        name=_text(arguments.get("name"), constants),
        lines=lines,
        cpp_sources=_text(arguments.get("cpp_sources"), constants),
        functions=tuple(text for each in listed if (text := _text(each, constants)) is not None),
        called_in=called_in,
        literals={name: _literals(value, constants, assigned) for name, value in arguments.items()},
    )


def _literals(
    node: ast.expr, constants: dict[str, ast.expr], assigned: Counter[str]
) -> tuple[ast.expr, ...]:
    def meant(one: ast.expr) -> ast.expr:
        known = isinstance(one, ast.Name) and assigned[one.id] == 1 and one.id in constants
        return constants[one.id] if known and isinstance(one, ast.Name) else one

    node = meant(node)
    return tuple(map(meant, node.elts)) if isinstance(node, (ast.List, ast.Tuple)) else (node,)


def _text(node: ast.expr | None, constants: dict[str, ast.expr]) -> str | None:
    node = _resolved(node, constants)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.List):
        parts = [_text(each, constants) for each in node.elts[:100]]
        return "\n".join(part for part in parts if part is not None) if None not in parts else None
    return None


def _resolved(node: ast.expr | None, constants: dict[str, ast.expr]) -> ast.expr | None:
    for _ in range(5):
        if not isinstance(node, ast.Name):
            break
        node = constants.get(node.id)
    return node
