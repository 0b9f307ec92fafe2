"""Undefined names in get_inputs and get_init_inputs, functions that only call themselves, and a class
whose name is nearly ModelNew.

KernelGate draws inputs from the problem, never from the candidate, so that such a mistake would go unseen.
In: a candidate. Out: names and the person's lines; nothing, where a program may define names unseen.
"""

from __future__ import annotations

import ast
import difflib
import symtable
from collections.abc import Iterator
from typing import NamedTuple, TypeGuard

from kernelgate.program.candidate import Candidate
from kernelgate.program.gather import global_names, names_bound

# In the order in which a benchmark calls them.
_INPUT_FUNCTIONS = ("get_init_inputs", "get_inputs")
_DEFINES_UNSEEN = {"exec", "eval", "globals", "vars", "setattr", "locals", "__import__"}


class NameUse(NamedTuple):
    """`line` is the earliest line of the person's text that uses the name in an input function."""

    name: str
    line: int | None
    function: str


def undefined_names(candidate: Candidate) -> list[NameUse]:
    """Undefined names, in the order in which running get_init_inputs, then get_inputs, would miss them."""
    tree = candidate.tree
    if _may_define_unseen(tree):
        return []
    table = symtable.symtable(candidate.python, "<candidate>", "exec")
    known = names_bound(table, tree)
    functions = _input_functions(tree)
    missing: dict[str, tuple[int, str]] = {}
    for child in sorted(table.get_children(), key=_call_order):
        if child.get_name() not in functions or child.get_lineno() != functions[child.get_name()].lineno:
            continue
        free = global_names(child) - known
        for node in _in_order(functions[child.get_name()]):
            if isinstance(node, ast.Name) and node.id in free:
                earlier = missing.get(node.id)
                if earlier is None or node.lineno < earlier[0]:
                    missing[node.id] = (node.lineno, child.get_name())
    return [NameUse(name, candidate.line(line), function) for name, (line, function) in missing.items()]


def endless_functions(candidate: Candidate) -> list[NameUse]:
    """Input functions that call themselves whatever happens: without a branch, and not within a lambda."""
    found = []
    for name, function in _input_functions(candidate.tree).items():
        body = [each for each in function.body if not _is_docstring(each)]
        if not all(isinstance(each, ast.Assign | ast.Expr | ast.Return) for each in body):
            continue
        calls = [node for each in body for node in _always_evaluated(each) if _is_call_of(node, name)]
        if calls:
            found.append(NameUse(name, candidate.line(calls[0].lineno), name))
    return found


def _is_call_of(node: ast.AST, name: str) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _always_evaluated(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a statement that are evaluated whatever their values are."""
    yield node
    parts: list[ast.AST] = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.Lambda):
        parts = []
    elif isinstance(node, ast.IfExp):
        parts = [node.test]
    elif isinstance(node, ast.BoolOp):
        parts = [node.values[0]]
    elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp):
        parts = [node.generators[0].iter]
    elif isinstance(node, ast.GeneratorExp):
        parts = []
    for part in parts:
        yield from _always_evaluated(part)


def _input_functions(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    last = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    return {name: last[name] for name in _INPUT_FUNCTIONS if name in last and not last[name].decorator_list}


def _may_define_unseen(tree: ast.Module) -> bool:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _DEFINES_UNSEEN:
            return True
        if isinstance(node, ast.ExceptHandler) and "NameError" in ast.dump(node.type or ast.Pass()):
            return True
    return False


def _call_order(table: symtable.SymbolTable) -> int:
    name = table.get_name()
    return _INPUT_FUNCTIONS.index(name) if name in _INPUT_FUNCTIONS else len(_INPUT_FUNCTIONS)


def _in_order(function: ast.FunctionDef) -> list[ast.Name]:
    names = [
        node for statement in function.body for node in ast.walk(statement) if isinstance(node, ast.Name)
    ]
    return sorted(names, key=lambda node: (node.lineno, node.col_offset))


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


_NEAR = 0.8


def near_model_new(tree: ast.AST) -> ast.ClassDef | None:
    """The class that is named most nearly ModelNew, capitals aside; None if none is near."""
    found = [(_likeness(node.name), node) for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return max((each for each in found if each[0] >= _NEAR), key=lambda each: each[0], default=(0.0, None))[1]


def _likeness(name: str) -> float:
    plain = name.lower().replace("_", "")
    return max(difflib.SequenceMatcher(None, plain, meant).ratio() for meant in ("modelnew", "newmodel"))
