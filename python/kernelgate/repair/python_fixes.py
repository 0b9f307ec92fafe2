"""Certain fixes of a program's Python: names that only the problem defines, or that no extension binds, functions that
call themselves for ever, launches beyond a device's limits, and a `KernelInterface` that is imported from nowhere or
runs what it does not list.

In: a candidate, and the problem's text. Out: `Fix`, or None where the text does not show it for certain.
Not here: what the compiler says (`repair.diagnostics`). The judge proves a fix before it is offered.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kernelgate.program import braces
from kernelgate.program.candidate import Candidate
from kernelgate.repair import bounds_guard, kernel_fixes, launch_care, launch_fixes, rewrites, vector_tail
from kernelgate.repair.fewer_threads import MOST_THREADS, fewer_threads
from kernelgate.repair.line_edits import lines_before, replaced_lines, rewritten
from kernelgate.repair.rounded_grid import rounded_up
from kernelgate.repair.shared_memory import with_allowed_memory
from kernelgate.report.types import Edit

_MOST_LINES = 40


@dataclass(frozen=True)
class Fix:
    """`text` as it is shown; `edit` writes it. `next_step`: what it does, in words."""

    text: str
    edit: Edit
    next_step: str


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
    line = _behind_imports(candidate.tree)
    edit = lines_before(candidate, line + 1, ["", *rows]) if line else lines_before(candidate, 1, [*rows, ""])
    words = "this constant" if len(rows) == 1 else "these constants"
    return (
        Fix("\n".join(rows), edit, f"Define {words} at module level, as the problem does") if edit else None
    )


def import_added(candidate: Candidate, row: str, step: str) -> Fix | None:
    """An import below those at the top."""
    line = _behind_imports(candidate.tree)
    edit = lines_before(candidate, line + 1, [row])
    return Fix(row, edit, step) if edit is not None else None


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


def unused_import(candidate: Candidate, module: str, name: str = "") -> Fix | None:
    """Without the import of a module that does not exist, or of a `name` that it lacks, where nothing uses it."""
    if not name and rewrites.uses_package(candidate, module.split(".")[0]):
        return None
    changed = rewrites.without_import(candidate, module, name)
    return rewriting(candidate, changed, f"Remove the import: nothing uses {name or module}")


def smaller_blocks(candidate: Candidate) -> Fix | None:
    """Launches with as many threads a block as a GPU has at most, where the text gives more."""
    return rewriting(candidate, fewer_threads(candidate), f"Launch {MOST_THREADS} threads a block at most")


def rounded_up_grid(candidate: Candidate) -> tuple[Fix, int] | None:
    """Launches with as many blocks as the elements need, and the line that gives fewer."""
    step = "Round the number of blocks up: (n + threads - 1) / threads"
    return _at_line(candidate, rounded_up(candidate), step)


def blocks_for_all(candidate: Candidate) -> tuple[Fix, int] | None:
    """A launch of a fixed number of blocks with as many as the elements need, and its line."""
    return _at_line(
        candidate, launch_fixes.blocks_for_all(candidate), "Launch as many blocks as the elements need"
    )


def shared_bytes(candidate: Candidate) -> Fix | None:
    """A launch with the bytes of dynamic shared memory that one element a thread takes."""
    step = "Pass the bytes of dynamic shared memory as the launch's third argument"
    found = _at_line(candidate, launch_fixes.with_shared_bytes(candidate), step)
    return found[0] if found is not None else None


def pointers_of(candidate: Candidate, asked: str, held: str) -> tuple[Fix, int] | None:
    """Pointers, and a kernel's parameters for them, of the type that the tensors hold; and the first one's line."""
    step = "Take the pointers, and the kernel's parameters, as the type that the tensors hold"
    return _at_line(candidate, launch_fixes.pointers_of(candidate, asked, held), step)


def contiguous_inputs(candidate: Candidate) -> tuple[Fix, int] | None:
    """Inputs without gaps, in the order of their elements, for kernels that look at no stride; and the first line."""
    step = "Make the inputs contiguous first: the kernel takes the elements as they lie in memory"
    return _at_line(candidate, launch_care.contiguous_inputs(candidate), step)


def keeping_digits(candidate: Candidate) -> tuple[Fix, int] | None:
    """expm1(x) in place of exp(x) - 1, and the line of the first."""
    step = "Write expm1f(x) in place of expf(x) - 1.0f"
    return _at_line(candidate, kernel_fixes.with_expm1(candidate), step)


def padded_to_vectors(candidate: Candidate) -> tuple[Fix, int] | None:
    """Inputs padded to whole vectors, and the line of the first vector."""
    step = "Pad the input to whole vectors: the elements behind the last one are not handled"
    return _at_line(candidate, vector_tail.padded_to_vectors(candidate), step)


def _at_line(candidate: Candidate, found: tuple[str, int] | None, step: str) -> tuple[Fix, int] | None:
    """found: the program with a change, and the line that it is about."""
    fix = rewriting(candidate, found[0], step) if found is not None else None
    return (fix, found[1]) if found is not None and fix is not None else None


def like_input(candidate: Candidate) -> Fix | None:
    """The result made with the input's dtype, on its device."""
    found = kernel_fixes.made_like_input(candidate)
    step = "Make the result with the input's dtype and device: options()"
    return rewriting(candidate, found[0], step) if found is not None else None


def bounded(candidate: Candidate) -> Fix | None:
    """A kernel that leaves where its index is beyond the number of elements, which it is given and does not look at."""
    step = "Return from the kernel if the index is not below the number of elements"
    return rewriting(candidate, bounds_guard.with_bound(candidate), step)


def allowed_memory(candidate: Candidate) -> Fix | None:
    """Kernels that are allowed the dynamic shared memory that they are launched with."""
    step = "Allow the kernel that much dynamic shared memory before the launch"
    return rewriting(candidate, with_allowed_memory(candidate), step)


def doubled_braces(candidate: Candidate, line: int) -> Fix | None:
    """C++'s braces doubled in the source that a call of format() in a line takes for fields."""
    found = braces.doubled_in_formatted(candidate.python, candidate.tree, line)
    edit = replaced_lines(candidate, found.first, found.last, found.rows) if found is not None else None
    step = "Write {{ for { and }} for } in the source, but around names that format() is given"
    return Fix("\n".join(found.rows), edit, step) if found is not None and edit is not None else None


def half_pointers(candidate: Candidate) -> Fix | None:
    """Pointers to CUDA's half types, cast from those to PyTorch's."""
    return rewriting(
        candidate, rewrites.half_pointers(candidate), "Ask for PyTorch's type, and cast the pointer"
    )


def matching_declaration(candidate: Candidate, function: str) -> Fix | None:
    """A function declared with the parameters of its definition."""
    step = f"Declare {function} in cpp_sources as cuda_sources defines it"
    fix = rewriting(candidate, rewrites.prototype_replaced(candidate, function), step)
    renamed = rewrites.renamed_definition(candidate, function) if fix is None else None
    return fix or rewriting(
        candidate, renamed, f"Define it as {function}, the name that is declared and bound"
    )


def rewriting(candidate: Candidate, changed: str | None, step: str) -> Fix | None:
    """The rows that differ in `changed`, the program with its fix; None where nothing does."""
    found = rewritten(candidate, changed) if changed is not None else None
    return Fix(*found, step) if found is not None else None


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
    """The names in Meta.functions, where they are written out."""
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


def _behind_imports(tree: ast.Module) -> int:
    """The last line of the imports at the top; 0 where there are none."""
    last = 0
    for node in tree.body:
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, ast.Import | ast.ImportFrom):
            last = node.end_lineno or node.lineno
        elif not is_docstring:
            break
    return last
