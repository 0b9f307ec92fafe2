"""Certain fixes of a program's Python: names that only the problem defines, imports, functions that call themselves
for ever, a `KernelInterface` from nowhere or that runs what it does not list, and the form of a result: a value too
many, a number for a tensor, a dimension of size 1, another dtype.

In: a candidate, and the problem's text, or how its result differs. Out: `Fix`, or None if the text does not show it for
certain. Not here: which exception asks for which (`exceptions`). The judge proves a fix before it is offered.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kernelgate.program.candidate import Candidate
from kernelgate.repair.edits import Fix, lines_before, replaced, replaced_lines, rewriting, span
from kernelgate.report.wrong_results import NotOneTensor, OtherDtype, OtherShape

_MOST_LINES = 40
_IMPORTS = {
    "torch": "import torch",
    "nn": "import torch.nn as nn",
    "F": "import torch.nn.functional as F",
    "load_inline": "from torch.utils.cpp_extension import load_inline",
    "load": "from torch.utils.cpp_extension import load",
    "cpp_extension": "from torch.utils import cpp_extension",
    "np": "import numpy as np",
    "Optional": "from typing import Optional",
    "Tuple": "from typing import Tuple",
    "List": "from typing import List",
    "Any": "from typing import Any",
    "triton": "import triton",
    "tl": "import triton.language as tl",
} | {name: f"import {name}" for name in ("functools", "hashlib", "itertools", "math", "os", "time", "typing")}


def define_names(candidate: Candidate, missing: Iterable[str], problem: str) -> Fix | None:
    """The problem's own definitions of names that the program uses and does not define."""
    known = _constants(problem)
    own = _constants(candidate.python)
    names, waiting = set[str](), list(missing)
    while waiting:
        name = waiting.pop()
        if name not in known:
            return None
        names.add(name)
        for used in known[name].uses - names:
            if used not in own:
                waiting.append(used)
            elif own[used] != known.get(used):
                return None  # the program has another value under this name
    if not names:
        return None
    rows = [f"{name} = {known[name].text}" for name in known if name in names]
    line = behind_imports(candidate.tree)
    edit = lines_before(candidate, line + 1, ["", *rows]) if line else lines_before(candidate, 1, [*rows, ""])
    words = "this constant" if len(rows) == 1 else "these constants"
    return (
        Fix("\n".join(rows), edit, f"Define {words} at module level, as the problem does") if edit else None
    )


def missing_import(candidate: Candidate, name: str) -> Fix | None:
    """The import of a module or a function that goes by one name in all programs, below those at the top."""
    row = _IMPORTS.get(name)
    edit = lines_before(candidate, behind_imports(candidate.tree) + 1, [row]) if row is not None else None
    return (
        Fix(row, edit, f"Add this import: {name} is not defined")
        if row is not None and edit is not None
        else None
    )


def remove_function(candidate: Candidate, name: str) -> Fix | None:
    """Without a function of the module that only calls itself."""
    found = [node for node in candidate.tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
    if len(found) != 1:
        return None
    edit = replaced_lines(candidate, found[0].lineno, found[0].end_lineno or found[0].lineno, [])
    return Fix("", edit, f"Remove {name}: the problem's own is used") if edit else None


def import_interface(candidate: Candidate, module: str) -> Fix | None:
    """KernelInterface from here, in place of an import from a module that does not exist."""
    for node in candidate.tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == module and not node.level:
            names = {alias.name: alias.asname for alias in node.names}
            if "KernelInterface" not in names or not set(names) <= {"KernelInterface", "Tensor"}:
                return None
            rows = [f"from kernelgate import {_imported('KernelInterface', names)}"]
            rows += [f"from torch import {_imported('Tensor', names)}"] if "Tensor" in names else []
            edit = replaced_lines(candidate, node.lineno, node.end_lineno or node.lineno, rows)
            step = "Import KernelInterface from kernelgate, which has it"
            return Fix("\n".join(rows), edit, step) if edit else None
    return None


def listed_functions(candidate: Candidate, line: int | None) -> Fix | None:
    """The functions that the KernelInterface around a line lists, for the names that it runs instead."""
    for node in candidate.tree.body:
        if (
            isinstance(node, ast.ClassDef)
            and line is not None
            and node.lineno <= line <= (node.end_lineno or 0)
        ):
            calls = [call for call in ast.walk(node) if _runs(call)]
            return _renamed(candidate, calls, _listed(node))
    return None


def _renamed(candidate: Candidate, calls: Sequence[ast.AST], listed: Sequence[str]) -> Fix | None:
    names = [call.args[0] for call in calls if isinstance(call, ast.Call)]
    wrong = [
        (name.lineno, name.value)
        for name in names
        if isinstance(name, ast.Constant) and isinstance(name.value, str) and name.value not in listed
    ]
    if not wrong:
        return None
    rows = candidate.python.split("\n")
    for line, name in wrong:
        meant = _meant(name, listed)
        written = [f"{quote}{name}{quote}" for quote in ('"', "'")]
        here = [text for text in written if rows[line - 1].count(text) == 1]
        if meant is None or len(here) != 1:
            return None
        rows[line - 1] = rows[line - 1].replace(here[0], here[0].replace(name, meant))
    first, last = min(wrong)[0], max(wrong)[0]
    if last - first >= _MOST_LINES:
        return None
    edit = replaced_lines(candidate, first, last, rows[first - 1 : last])
    step = f"Run the functions that Meta lists: {', '.join(listed)}"
    return Fix("\n".join(rows[first - 1 : last]), edit, step) if edit else None


def _meant(name: str, listed: Sequence[str]) -> str | None:
    """The one listed function that shares most words with a name."""
    shared = {one: len(set(name.split("_")) & set(one.split("_"))) for one in listed}
    most = max(shared.values(), default=0)
    best = [one for one, count in shared.items() if count == most]
    return best[0] if most and len(best) == 1 else None


def _runs(node: ast.AST) -> bool:
    """Whether it is self.run("name", ...)."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "run"
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "self"
        and bool(node.args)
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    )


def _listed(node: ast.ClassDef) -> list[str]:
    """The names in Meta.functions, if they are written out."""
    for part in ast.walk(node):
        if isinstance(part, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "functions" for target in part.targets
        ):
            entries = part.value.elts if isinstance(part.value, ast.List | ast.Tuple) else []
            firsts = [one.elts[0] if isinstance(one, ast.Tuple) and one.elts else one for one in entries]
            return [str(one.value) for one in firsts if isinstance(one, ast.Constant)]
    return []


def _imported(name: str, names: dict[str, str | None]) -> str:
    other = names[name]
    return f"{name} as {other}" if other else name


@dataclass(frozen=True)
class _Constant:
    """`text` as it is written; `uses`: the other constants in it."""

    text: str
    uses: frozenset[str]


def _constants(text: str) -> dict[str, _Constant]:
    """What a text assigns once at module level to numbers, strings and earlier constants, without a call."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return {}
    found = dict[str, _Constant]()
    again = set[str]()
    for node in tree.body:
        for target, value in _assigned(node):
            uses = frozenset(part.id for part in ast.walk(value) if isinstance(part, ast.Name))
            if target in found:
                again.add(target)
            if uses <= set(found) and not any(isinstance(part, ast.Call) for part in ast.walk(value)):
                found[target] = _Constant(ast.unparse(value), uses)
    return {name: constant for name, constant in found.items() if not again & {name, *constant.uses}}


def _assigned(node: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """The names that a statement assigns, each with what it gets: a = 1, or a, b = 1, 2."""
    targets = node.targets if isinstance(node, ast.Assign) else []
    for target in targets:
        if isinstance(node, ast.Assign) and isinstance(target, ast.Name):
            yield target.id, node.value
        elif (
            isinstance(node, ast.Assign)
            and isinstance(target, ast.Tuple)
            and isinstance(node.value, ast.Tuple)
        ):
            for one, value in zip(target.elts, node.value.elts, strict=False):
                if isinstance(one, ast.Name):
                    yield one.id, value


def behind_imports(tree: ast.Module) -> int:
    """The last line of the imports at the top; 0 if there are none."""
    last = 0
    for node in tree.body:
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, ast.Import | ast.ImportFrom):
            last = node.end_lineno or node.lineno
        elif not is_docstring:
            break
    return last


def in_wanted_form(
    candidate: Candidate, how: NotOneTensor | OtherDtype | OtherShape
) -> tuple[Fix, int] | None:
    """The one `return` of ModelNew.forward with the form that is wanted."""
    value = _returned(candidate)
    if value is None:
        return None
    if isinstance(how, NotOneTensor):
        return _as_one_tensor(candidate, value)
    call = f".to(torch.{how.wanted})" if isinstance(how, OtherDtype) else _of_shape(how.got, how.wanted)
    return _with_call(candidate, value, call, how.next_step) if call is not None else None


def _returned(candidate: Candidate) -> ast.expr | None:
    """What ModelNew.forward returns, if it has one `return`."""
    models = [
        node for node in candidate.tree.body if isinstance(node, ast.ClassDef) and node.name == "ModelNew"
    ]
    methods = [each for model in models for each in model.body if isinstance(each, ast.FunctionDef)]
    forward = next((each for each in methods if each.name == "forward"), None)
    found = (
        [each for each in ast.walk(forward) if isinstance(each, ast.Return)] if forward is not None else []
    )
    return found[0].value if len(found) == 1 else None


def _as_one_tensor(candidate: Candidate, value: ast.expr) -> tuple[Fix, int] | None:
    if isinstance(value, ast.Tuple | ast.List) and value.elts:
        return _with_text(
            candidate, value, _text(candidate, value.elts[0]), "Return the one tensor that Model does"
        )
    called = value.func if isinstance(value, ast.Call) and not value.args else None
    if isinstance(called, ast.Attribute) and called.attr in ("item", "tolist", "cpu", "numpy"):
        step = f"Return the tensor itself, without .{called.attr}()"
        return _with_text(candidate, value, _text(candidate, called.value), step)
    return None


def _of_shape(got: Sequence[int], wanted: Sequence[int]) -> str | None:
    """The call that puts in, or takes out, dimensions of size 1."""
    got, wanted = list(got), list(wanted)
    if [size for size in got if size != 1] != [size for size in wanted if size != 1]:
        return None
    if not wanted:
        return ".reshape(())"
    if len(wanted) == len(got) + 1:
        at = next(at for at in range(len(wanted)) if wanted[:at] + wanted[at + 1 :] == got)
        return f".unsqueeze({at})"
    if len(got) == len(wanted) + 1:
        at = next(at for at in range(len(got)) if got[:at] + got[at + 1 :] == wanted)
        return f".squeeze({at})"
    return None


def _with_call(candidate: Candidate, value: ast.expr, call: str, step: str) -> tuple[Fix, int] | None:
    text = _text(candidate, value)
    plain = isinstance(value, ast.Name | ast.Call | ast.Attribute | ast.Subscript)
    return _with_text(candidate, value, f"{text}{call}" if plain else f"({text}){call}", step)


def _with_text(candidate: Candidate, value: ast.expr, text: str, step: str) -> tuple[Fix, int] | None:
    fix = rewriting(candidate, replaced(candidate.python, [value], text), step)
    return (fix, value.lineno) if fix is not None else None


def _text(candidate: Candidate, node: ast.expr) -> str:
    begin, end = span(candidate.python, node)
    return candidate.python[begin:end]
