"""Certain fixes of the names by which Python calls the functions of an extension.

In: a candidate, and the name or the call that an exception is about. Out: `Fix`, or None where the text does not show
it for certain. Not here: what a compiler says of such names (`repair.diagnostics`, `repair.binding_errors`). The judge
proves a fix before it is offered.
"""

from __future__ import annotations

import ast
import difflib
import re

from kernelgate.cuda_source import functions
from kernelgate.program.candidate import Candidate
from kernelgate.program.from_cuda import bound_names
from kernelgate.repair import rewrites
from kernelgate.repair.python_fixes import Fix, rewriting
from kernelgate.repair.python_places import replaced, span


def bound_name(candidate: Candidate, missing: str) -> Fix | None:
    """The one function that the program's extensions bind, or the one of nearly that name, for a name that none has."""
    bound = bound_functions(candidate)
    near = difflib.get_close_matches(missing, bound, n=2, cutoff=0.5) or bound
    if len(near) != 1:
        return None
    places = [
        node
        for node in ast.walk(candidate.tree)
        if isinstance(node, ast.Attribute) and node.attr == missing and node.end_lineno is not None
    ]
    rows = candidate.python.split("\n")
    for node in places:
        last, end = (node.end_lineno or 1) - 1, node.end_col_offset or 0
        row = rows[last].encode()
        if row[end - len(missing) : end] != missing.encode():
            return None
        rows[last] = (row[: end - len(missing)] + near[0].encode() + row[end:]).decode()
    return rewriting(candidate, "\n".join(rows), f"Call {near[0]}, the name that is bound")


def bound_functions(candidate: Candidate) -> list[str]:
    """The names that Python has for functions: those in `functions`, and those of a PYBIND11_MODULE."""
    defined = [name for each in candidate.literals for name in bound_names(each.value)]
    return list(
        dict.fromkeys([*(name for call in candidate.extensions for name in call.functions), *defined])
    )


def listed(candidate: Candidate, extension: str | None, line: int | None) -> Fix | None:
    """`functions` in a load_inline call that has none, with the functions that Python calls."""
    call = candidate.extension(extension, line)
    if call is None or call.functions:
        return None
    hosts = [
        each.name
        for literal in candidate.literals
        for each in functions.functions(literal.value)
        if each.kind == "host" and each.defined and not each.hidden
    ]
    called = [name for name in dict.fromkeys(hosts) if re.search(rf"\.{name}\b", candidate.python)]
    names = ", ".join(f'"{name}"' for name in called)
    changed = rewrites.with_argument(candidate, call.line, f"functions=[{names}]") if called else None
    return rewriting(candidate, changed, f"List {' and '.join(called)} in functions")


def call_of_function(candidate: Candidate, line: int | None) -> Fix | None:
    """The one call in a line whose callee is an extension's module: by the one function that is bound, or, without
    arguments, the module itself."""
    modules, python = _modules(candidate), candidate.python
    calls = [
        node
        for node in ast.walk(candidate.tree)
        if isinstance(node, ast.Call) and node.lineno == line and ast.unparse(node.func) in modules
    ]
    if len(calls) != 1:
        return None
    call, bound = calls[0], bound_functions(candidate)
    begin, end = span(python, call.func)
    if not (call.args or call.keywords):
        return rewriting(candidate, replaced(python, [call], python[begin:end]), "Take the module without a call")
    if len(bound) != 1:
        return None
    return rewriting(
        candidate, f"{python[:end]}.{bound[0]}{python[end:]}", f"Call {bound[0]}, which the module binds"
    )


def _modules(candidate: Candidate) -> set[str]:
    """The names and attributes that hold what load_inline returns, as they are written."""
    names = set[str]()
    assigned = [node for node in ast.walk(candidate.tree) if isinstance(node, ast.Assign)]
    for _ in range(2):  # self.ops = ops = load_inline(...)
        for node in assigned:
            value = node.value
            made = isinstance(value, ast.Call) and ast.unparse(value.func).endswith("load_inline")
            called = isinstance(value, ast.Call) and ast.unparse(value.func) in names
            if made or called or ast.unparse(value) in names:
                names |= {ast.unparse(target) for target in node.targets}
    return names
