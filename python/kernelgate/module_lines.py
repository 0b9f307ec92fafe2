"""Other files of a program, as lines of one program that make modules of them.

In: texts by module names. Out: lines of Python, each module in two of them.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping


def module_lines(modules: Mapping[str, str]) -> str:
    """Lines that make modules of texts, each in one line of the program."""
    if not modules:
        return ""
    lines = ["import sys as _sys", "import types as _types"]
    for name, text in modules.items():
        lines.append(f"_module = _sys.modules[{name!r}] = _types.ModuleType({name!r})")
        lines.append(f"exec(compile({text!r}, {name + '.py'!r}, 'exec'), _module.__dict__)")
    return "\n".join(lines) + "\n"


def imported_reference(tree: ast.Module, reference: str | None) -> str:
    """The lines for a program that imports from `reference`, as programs of kernelgate evaluate beside reference.py do;
    "" for any other."""
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
    names = {
        name
        for node in imports
        for name in ([node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names])
    }
    return module_lines({"reference": reference}) if reference is not None and "reference" in names else ""
