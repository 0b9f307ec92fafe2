"""What a program needs of others: names that it uses and does not bind, and the newest statements that bind them.

In: syntax trees, texts of cells. Out: names, and passages of those texts. Nothing is executed.
"""

from __future__ import annotations

import ast
import builtins
import symtable
from collections.abc import Iterable, Sequence

from kernelgate.program.kind import bindings
from kernelgate.program.parsing import python_tree
from kernelgate.program.source import Source
from kernelgate.report.lines import to_lines

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
