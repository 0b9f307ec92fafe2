"""The benchmark form of a program: one file with `Model`, `get_inputs`, `get_init_inputs` and `ModelNew`.

In: a program and its problem, both in the KernelBench form. Out: one text that KernelBench's evaluation script takes as
either: the program, and below it the problem, each as it is, so that the front end makes the same of the same files
(`src/catalogue/catalogue.ts`). Not here: which program (`catalogue`).
"""

from __future__ import annotations

import ast


def benchmark_form(program: str, problem: str) -> str:
    """The program, and below it the problem. Raises ValueError where both give one name two meanings, or where they
    cannot stand in one file."""
    clash = sorted(_bound(program) & _bound(problem))
    if clash:
        raise ValueError(f"program and problem both define {', '.join(clash)}")
    text = f"{program}\n\n{problem}"
    try:
        compile(text, "<the benchmark form>", "exec", dont_inherit=True)
    except SyntaxError as exc:  # such as an import from __future__ in the problem
        raise ValueError(f"program and problem cannot stand in one file: {exc}") from None
    return text


def _bound(text: str) -> set[str]:
    """The names that a module defines, imports apart."""
    found = set[str]()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {
                each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)
            }
    return found
