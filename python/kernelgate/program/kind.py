"""What a text looks like: Python, CUDA C++ or Markdown, and what it binds.

Broken Python is Python, so that its error is reported as one. Nothing is executed, and Triton, whose kernels are found
here, need not be installed. Not here: what a cell's body is
(`notebook.magic_line`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from kernelgate.cuda_source.functions import blank

_TRIPLE_QUOTED = re.compile(r"(\"\"\"|''')(?:\\.|.)*?(?:\1|\Z)", re.DOTALL)
_PYTHON_MARK = re.compile(
    r"^[ \t]*(?:import [\w.]+(?: as \w+)?(?:, *[\w.]+)*[ \t]*$"
    r"|from [\w.]+ import\b|def \w+ *\(|class \w+[^;{\n]{0,500}:[ \t]*$|@\w[\w.]*|\w+ *= *load_inline\("
    r"|return self\b)",
    re.MULTILINE,
)
_CUDA_MARK = re.compile(
    r"__global__|__device__|^[ \t]*#[ \t]*include\b|\b(?:torch|at)::\w|<<<"
    r"|^[ \t]*(?:template\s*<|using namespace\b)",
    re.MULTILINE,
)
_DEFINES = re.compile(r"^[ \t]*(?:class ModelNew\b|ModelNew *=(?!=))", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[^`\n]*$", re.MULTILINE)


def is_cuda(text: str) -> bool:
    """Whether text that is no Python looks like CUDA C++, rather than like broken Python around it."""
    outside = blank(without_triple_quoted(text))
    return _CUDA_MARK.search(outside) is not None and _PYTHON_MARK.search(outside) is None


def is_markdown(text: str) -> bool:
    """Whether text that is no Python has a fenced block; a fence within a string of it does not count."""
    return _FENCE.search(without_triple_quoted(text)) is not None


def mentions_model_new(text: str) -> bool:
    return _DEFINES.search(text) is not None


def bindings(tree: ast.Module, name: str) -> Iterator[ast.stmt]:
    """Statements at module level that bind `name`, branches and loops included, in order."""
    pending: list[ast.stmt] = list(reversed(tree.body))
    while pending:
        statement = pending.pop()
        if name in _bound(statement):
            yield statement
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        inner: list[ast.stmt] = []
        for child in ast.iter_child_nodes(statement):
            if isinstance(child, ast.stmt):
                inner.append(child)
            elif isinstance(child, (ast.ExceptHandler, ast.match_case)):
                inner.extend(child.body)
        pending.extend(reversed(inner))


def _bound(statement: ast.stmt) -> set[str]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {alias.asname or alias.name.split(".")[0] for alias in statement.names}
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        targets = [statement.target]
    names = (node for target in targets for node in ast.walk(target) if isinstance(node, ast.Name))
    return {node.id for node in names if isinstance(node.ctx, ast.Store)}


def without_triple_quoted(text: str) -> str:
    """The text with its long strings empty, on as many lines."""
    return _TRIPLE_QUOTED.sub(lambda found: "\n" * found.group().count("\n"), text)


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
