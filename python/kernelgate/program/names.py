"""What a program needs of others: names that it uses and does not bind, and the newest statements that bind them.

Besides, undefined names in get_inputs and get_init_inputs, functions that only call themselves, and a class whose name
is nearly ModelNew.
KernelGate draws inputs from the problem, never from the candidate, so that such a mistake would go unseen.
In: a candidate. Out: names and the person's lines; nothing, where a program may define names unseen.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import symtable
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeGuard

from kernelgate.program.candidate import Candidate
from kernelgate.program.kind import bindings
from kernelgate.program.parsing import python_tree
from kernelgate.program.source import Source
from kernelgate.report.bounded import to_lines

_BINDS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)
_MODULE_NAMES = {"__name__", "__file__", "__doc__", "__builtins__", "__spec__", "__loader__", "__package__"}


def free_names(tree: ast.Module) -> set[str]:
    """Names that are used and that neither the text nor Python itself binds."""
    table = symtable.symtable(ast.unparse(tree), "<cell>", "exec")
    return global_names(table) - names_bound(table, tree)


def global_names(table: symtable.SymbolTable) -> set[str]:
    """The global names that this block and those in it use."""
    names = {
        symbol.get_name() for symbol in table.get_symbols() if symbol.is_global() and symbol.is_referenced()
    }
    for child in table.get_children():
        names |= global_names(child)
    return names


def names_bound(table: symtable.SymbolTable, tree: ast.Module) -> set[str]:
    """The global names that a module binds, `table` being its own, and those that Python brings."""
    symbols = table.get_symbols()
    bound = {one.get_name() for one in symbols if one.is_assigned() or one.is_imported() or one.is_namespace()}
    bound |= {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
    return bound | set(dir(builtins)) | _MODULE_NAMES


def gathered(names: Iterable[str], cells: Sequence[tuple[str, str]]) -> tuple[Source, ...]:
    """The statements that bind these names, and what those need in turn, as passages of `cells`, which are texts with
    their labels: imports, functions, classes and values, each from the first cell that has it. What is needed comes
    first; a name that is bound nowhere is left out. Of a name that a cell binds again, a statement of this cell needs
    what stands above it."""
    read = [(tree, text, label) for text, label in cells if (tree := python_tree(text)) is not None]
    found: dict[ast.stmt, Source] = {}
    known: set[str] = set()

    def visit(name: str, user: ast.stmt | None = None, of: ast.Module | None = None) -> None:
        if name in known:
            return
        known.add(name)
        for tree, text, label in read:
            bound = list(bindings(tree, name))
            if not bound:
                continue
            if user is not None and tree is of:
                bound = [one for one in bound if one.lineno < user.lineno] or bound
            if isinstance(bound[-1], _BINDS) and bound[-1] not in found:
                for needed in sorted(free_names(ast.Module([bound[-1]], []))):
                    visit(needed, bound[-1], tree)
                found[bound[-1]] = _passage(bound[-1], tree, text, label)
            return

    for name in sorted(names):
        visit(name)
    return tuple(found.values())


def _passage(statement: ast.stmt, tree: ast.Module, text: str, label: str) -> Source:
    """A statement as it stands in its cell; written anew, without a line, where others share its lines."""
    decorators = statement.decorator_list if isinstance(statement, (ast.FunctionDef, ast.ClassDef)) else []
    first = min([statement.lineno, *(one.lineno for one in decorators)])
    last = statement.end_lineno or statement.lineno
    shared = [one for one in tree.body if one.lineno <= last and (one.end_lineno or one.lineno) >= first]
    rows = to_lines(text)[first - 1 : last]
    if shared != [statement] or (rows and rows[0][:1].isspace()):
        return Source(ast.unparse(statement), label, 0)
    return Source("\n".join(rows), label, first)


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
