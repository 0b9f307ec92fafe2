"""Triton's kernels in a program: functions that Triton's own compiler builds, and its interpreter runs without a GPU.

In: a syntax tree. Out: their names. Nothing is executed, and Triton need not be installed.
"""

from __future__ import annotations

import ast

_MAKERS = {"jit"}


def triton_kernels(tree: ast.Module) -> list[str]:
    """Functions under `@triton.jit`, by whatever name `triton` or `jit` were imported, in order of their lines."""
    modules: set[str] = set()
    makers: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.asname or alias.name for alias in node.names if alias.name == "triton"}
        elif isinstance(node, ast.ImportFrom) and node.module == "triton" and not node.level:
            makers |= {alias.asname or alias.name for alias in node.names if alias.name in _MAKERS}
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and any(_makes_kernel(decorator, modules, makers) for decorator in node.decorator_list)
    ]
    return [kernel.name for kernel in sorted(found, key=lambda kernel: kernel.lineno)]


def _makes_kernel(decorator: ast.expr, modules: set[str], makers: set[str]) -> bool:
    what = decorator.func if isinstance(decorator, ast.Call) else decorator
    if isinstance(what, ast.Attribute) and isinstance(what.value, ast.Name):
        return what.value.id in modules and what.attr in _MAKERS
    return isinstance(what, ast.Name) and what.id in makers
