"""The benchmark form of a program: one file with `Model`, `get_inputs`, `get_init_inputs` and `ModelNew`.

In: a program and its problem, both in the KernelBench form. Out: one text that KernelBench's evaluation script takes as
either. Not here: which program (`catalogue`).
"""

from __future__ import annotations

import ast


def benchmark_form(program: str, problem: str) -> str:
    """The program, and below it the problem. Raises ValueError where both give one name two meanings."""
    ours, theirs = ast.parse(program), ast.parse(problem)
    clash = sorted(_bound(ours) & _bound(theirs))
    if clash:
        raise ValueError(f"program and problem both define {', '.join(clash)}")
    known = {line for node in _imports(ours) for line in _import_lines(node)}
    missing = [line for node in _imports(theirs) for line in _import_lines(node) if line not in known]
    head, body = _after_imports(program, ours)
    title = ast.get_docstring(theirs) or "The problem"
    parts = [
        "\n".join([head, *missing]),
        body.strip("\n"),
        f"\n# The problem\n# {title.splitlines()[0]}",
        _without_head(problem, theirs).strip("\n"),
    ]
    return "\n\n".join(parts) + "\n"


def _imports(tree: ast.Module) -> list[ast.Import | ast.ImportFrom]:
    return [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]


def _import_lines(node: ast.Import | ast.ImportFrom) -> list[str]:
    """An import, one name a line."""
    if isinstance(node, ast.Import):
        return [ast.unparse(ast.Import([name])) for name in node.names]
    return [ast.unparse(ast.ImportFrom(node.module, [name], node.level)) for name in node.names]


def _after_imports(text: str, tree: ast.Module) -> tuple[str, str]:
    """What stands up to the last import at the top, and the rest."""
    line = max((node.end_lineno or 0 for node in _imports(tree)), default=0)
    rows = text.split("\n")
    return "\n".join(rows[:line]), "\n".join(rows[line:])


def _without_head(text: str, tree: ast.Module) -> str:
    """A text without its docstring and imports."""
    rows = text.split("\n")
    gone = list[ast.stmt](_imports(tree))
    if ast.get_docstring(tree) is not None:
        gone.append(tree.body[0])
    for node in gone:
        for at in range(node.lineno - 1, node.end_lineno or node.lineno):
            rows[at] = ""
    return "\n".join(rows).replace("\n\n\n\n", "\n\n\n")


def _bound(tree: ast.Module) -> set[str]:
    """The names that a module defines, imports apart."""
    found = set[str]()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {
                each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)
            }
    return found
