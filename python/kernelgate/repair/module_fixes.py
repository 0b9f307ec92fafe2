"""Certain fixes of a class derived from nn.Module, and of what a program forgets to import.

In: a candidate, and the name or the line that an exception is about. Out: `Fix`, or None where the text does not show
it for certain. Not here: which exception asks for which. The judge proves a fix before it is offered.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from kernelgate.program.candidate import Candidate
from kernelgate.repair import missing_modules
from kernelgate.repair.python_fixes import Fix, import_added, rewriting
from kernelgate.repair.python_places import replaced

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


def missing_import(candidate: Candidate, name: str) -> Fix | None:
    """The import of a module or a function that goes by one name in all programs."""
    row = _IMPORTS.get(name)
    return (
        import_added(candidate, row, f"Add this import: {name} is not defined") if row is not None else None
    )


def module_meant(candidate: Candidate, name: str) -> Fix | None:
    """The import of a module that an installed package has under nearly this name."""
    meant = missing_modules.module_meant(name)
    if meant is None:
        return None
    changed = re.sub(rf"(?<![\w.]){re.escape(name)}(?![\w.])", meant, candidate.python)
    return rewriting(candidate, changed, f"Import {meant} instead")


_NOT_A_MODULE_YET = re.compile(
    r"before Module\.__init__\(\) call|^'_(?:modules|parameters|buffers)'|"
    r"has no attribute '_(?:parameters|modules|buffers|forward_hooks|backward_hooks)"
)
_NO_ATTRIBUTE = re.compile(r"'\w+' object has no attribute '(?P<name>\w+)'")
_NO_SELF = re.compile(
    r"(?:\w+\.)?(?P<name>\w+)\(\) takes (?P<takes>\d+) positional arguments? but (?P<given>\d+) were given"
)


def of_module(candidate: Candidate, kind: str, message: str) -> Fix | None:
    """What removes an exception that a class derived from nn.Module raises. kind: the exception's type."""
    if kind in ("AttributeError", "KeyError") and _NOT_A_MODULE_YET.search(message):
        return calls_super(candidate)
    if kind == "AttributeError" and (found := _NO_ATTRIBUTE.search(message)) is not None:
        return kept_parameter(candidate, found["name"]) or meant_attribute(candidate, found["name"])
    if kind == "TypeError" and message.startswith("super(type, obj)"):
        return plain_super(candidate, "Model")
    found = _NO_SELF.search(message) if kind == "TypeError" else None
    if found is not None and int(found["given"]) == int(found["takes"]) + 1:
        return takes_self(candidate, found["name"])
    return None


def calls_super(candidate: Candidate) -> Fix | None:
    """super().__init__() as the first statement of each constructor of a module that does not call it."""
    places = [
        (method.body[0].lineno, method.body[0].col_offset)
        for module in _modules(candidate)
        for method in _methods(module)
        if method.name == "__init__"
        and "super(" not in ast.unparse(method)
        and "Module.__init__" not in ast.unparse(method)
    ]
    rows = candidate.python.split("\n")
    for line, column in sorted(places, reverse=True):
        rows.insert(line - 1, f"{' ' * column}super().__init__()")
    return rewriting(candidate, "\n".join(rows), "Call super().__init__() first: it makes the class a module")


def plain_super(candidate: Candidate, name: str) -> Fix | None:
    """super() for super(NAME, self), where NAME is another class than the one around."""
    calls = [
        node
        for module in _modules(candidate)
        if module.name != name
        for node in ast.walk(module)
        if isinstance(node, ast.Call) and ast.unparse(node) == f"super({name}, self)"
    ]
    changed = replaced(candidate.python, calls, "super()")
    return rewriting(candidate, changed, f"Write super(): this class is not {name}")


def own_attribute(candidate: Candidate, name: str) -> Fix | None:
    """self.NAME for a NAME that is only an attribute of the module around."""
    places = [
        node
        for module in _modules(candidate)
        if name in _assigned(module)
        for method in _methods(module)
        for node in ast.walk(method)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
    ]
    changed = replaced(candidate.python, places, f"self.{name}")
    return rewriting(candidate, changed, f"Write self.{name}: the constructor keeps it there")


def meant_attribute(candidate: Candidate, name: str) -> Fix | None:
    """self.NAME as the one attribute that the class sets and does not read."""
    for module in _modules(candidate):
        read = [
            node
            for node in ast.walk(module)
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and ast.unparse(node.value) == "self"
        ]
        places = [node for node in read if node.attr == name]
        unread = _assigned(module) - {node.attr for node in read}
        if places and len(unread) == 1:
            meant = unread.pop()
            changed = replaced(candidate.python, places, f"self.{meant}")
            return rewriting(candidate, changed, f"Write self.{meant}: that is what the constructor sets")
    return None


def kept_parameter(candidate: Candidate, name: str) -> Fix | None:
    """self.NAME = NAME in the constructor that has such a parameter, or the attribute of nearly that use."""
    rows = candidate.python.split("\n")
    for module in _modules(candidate):
        for method in _methods(module):
            parameters = [each.arg for each in (*method.args.args, *method.args.kwonlyargs)]
            if method.name != "__init__" or name not in parameters:
                continue
            calls = [each for each in method.body if "__init__(" in ast.unparse(each)]
            last = calls[0].end_lineno if calls else None
            if last is not None:
                rows.insert(last, f"{' ' * method.body[0].col_offset}self.{name} = {name}")
                return rewriting(
                    candidate, "\n".join(rows), f"Keep {name} in the constructor: self.{name} = {name}"
                )
    return None


def takes_parameters(candidate: Candidate, constructor: Sequence[str]) -> Fix | None:
    """ModelNew's constructor with the parameters of Model's, where it takes some of them, each without a default."""
    for module in _modules(candidate):
        for method in _methods(module):
            taken = method.args
            names = [each.arg for each in taken.args[1:]]
            if module.name != "ModelNew" or method.name != "__init__" or not set(names) < set(constructor):
                continue
            plain = not (taken.vararg or taken.kwarg or taken.kwonlyargs or taken.defaults)
            rows = candidate.python.split("\n")
            row = re.sub(r"\(.*\)", f"(self, {', '.join(constructor)})", rows[method.lineno - 1], count=1)
            if not plain or not row.rstrip().endswith(":"):
                return None
            rows[method.lineno - 1] = row
            return rewriting(candidate, "\n".join(rows), "Take the parameters of Model's constructor")
    return None


def returned(candidate: Candidate) -> tuple[Fix, int] | None:
    """`return` before the last statement of ModelNew.forward, where that computes something and nothing is returned;
    and its line."""
    method = method_of_model(candidate, "forward")
    if method is None or any(isinstance(each, ast.Return | ast.Yield) for each in ast.walk(method)):
        return None
    last = method.body[-1]
    rows = candidate.python.split("\n")
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        rows[last.lineno - 1] = _inserted(rows[last.lineno - 1], last.col_offset, "return ")
    elif isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Name):
        rows.insert(last.end_lineno or last.lineno, f"{' ' * last.col_offset}return {last.targets[0].id}")
    else:
        return None
    fix = rewriting(candidate, "\n".join(rows), "Return the result: forward returns nothing")
    return (fix, last.lineno) if fix is not None else None


def takes_self(candidate: Candidate, name: str) -> Fix | None:
    """`self` as the first parameter of a method that lacks it."""
    method = method_of_model(candidate, name)
    first = method.args.args[0] if method is not None and method.args.args else None
    if first is None or first.arg == "self":
        return None
    rows = candidate.python.split("\n")
    rows[first.lineno - 1] = _inserted(rows[first.lineno - 1], first.col_offset, "self, ")
    return rewriting(candidate, "\n".join(rows), f"Give {name} its first parameter, self")


def method_of_model(candidate: Candidate, name: str) -> ast.FunctionDef | None:
    """ModelNew's method of that name."""
    methods = [
        method
        for module in _modules(candidate)
        if module.name == "ModelNew"
        for method in _methods(module)
        if method.name == name
    ]
    return methods[0] if methods else None


def _modules(candidate: Candidate) -> Iterator[ast.ClassDef]:
    for node in candidate.tree.body:
        if isinstance(node, ast.ClassDef) and any("Module" in ast.unparse(base) for base in node.bases):
            yield node


def _methods(module: ast.ClassDef) -> Iterator[ast.FunctionDef]:
    for node in module.body:
        if isinstance(node, ast.FunctionDef) and not node.decorator_list:
            yield node


def _assigned(module: ast.ClassDef) -> set[str]:
    """The attributes of self that a class sets."""
    return {
        node.attr
        for node in ast.walk(module)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and ast.unparse(node.value) == "self"
    }


def _inserted(row: str, at: int, text: str) -> str:
    encoded = row.encode()
    return (encoded[:at] + text.encode() + encoded[at:]).decode()
