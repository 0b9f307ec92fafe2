"""Reads a text as a candidate: Python, a Markdown answer, or CUDA C++ with the operator it is for.

In: `Source`, and the operator. Out: `Candidate`, or `ProgramError` with the person's line and one next step.
The text is parsed and never run. Not here: whether it builds (`build`) and what it computes (`check`).
"""

from __future__ import annotations

import ast
import codecs
import hashlib
import re
from dataclasses import replace
from typing import NoReturn

from kernelgate.cuda_source import functions
from kernelgate.module_lines import imported_reference
from kernelgate.program import from_reference
from kernelgate.program.candidate import Candidate
from kernelgate.program.extensions import load_inline_calls
from kernelgate.program.from_cuda import OperatorLike, program_around
from kernelgate.program.from_reference import model_new_for
from kernelgate.program.kind import bindings, is_cuda, is_markdown, triton_kernels
from kernelgate.program.literals import literals
from kernelgate.program.markdown import code_in
from kernelgate.program.names import near_model_new
from kernelgate.program.parsing import TooDeep, parse_python, without_leading_magics
from kernelgate.program.source import ProgramError, Source
from kernelgate.program.syntax_repair import fstring_of_cuda, repaired, with_doubled_braces
from kernelgate.report.bounded import to_lines
from kernelgate.report.types import Edit

MAX_SOURCE_BYTES = 1_000_000
_CODING = re.compile(r"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_MOST_CHARACTERS = 4000  # of a fix, as in `report.types`
_DEFINE = "Define class ModelNew(nn.Module) with the constructor of Model"


def read(source: Source, operator: OperatorLike | None = None, reference: str | None = None) -> Candidate:
    """The candidate in `source`. Raises ProgramError. If it defines no ModelNew, the operator or the reference's
    text says what it is for."""
    try:
        return _read(source, operator, reference)
    except ProgramError as error:
        edit = _in_cell(source, error.edit) if error.edit is not None else None
        raise ProgramError(
            error.what, source.cell_line(error.line), error.next_step, edit
        ) from error.__cause__


def _in_cell(source: Source, edit: Edit) -> Edit | None:
    """An edit of lines of the text, as one of the cell; None if the text has no place, or it is too long to show."""
    line = source.cell_line(edit.line)
    if line is None or len(edit.text) > _MOST_CHARACTERS:
        return None
    return Edit(line=line, column=edit.column, text=edit.text, replaces=edit.replaces)


def _read(source: Source, operator: OperatorLike | None, reference: str | None) -> Candidate:
    for passage in (source, *source.above):
        _refuse_unfit(passage.text)
    text = without_leading_magics(source.text)
    if not text.strip():
        raise ProgramError("There is no program: the text is empty", None, _DEFINE)
    try:
        python, tree = parse_python(text)
    except TooDeep as error:
        raise ProgramError(
            "The program is nested too deeply for Python's parser", None, "Split the nested expression up"
        ) from error
    except SyntaxError as error:
        if is_markdown(text):
            return _from_markdown(source, text, operator, reference)
        if is_cuda(text):
            return _from_cuda(source, text, operator, reference)
        _refuse_syntax(error, text)
    return _from_python(source, python, tree, reference)


def _from_python(source: Source, python: str, tree: ast.Module, reference: str | None) -> Candidate:
    _refuse_other_encodings(python)
    line_map: list[int | None] = [*range(1, python.count("\n") + 2)]
    added = None
    if reference is not None and not any(True for _ in bindings(tree, "ModelNew")):
        added = model_new_for(python, tree, reference)
    if added is not None:
        python = f"{python}\n{added}"
        line_map += [None] * (added.count("\n") + 1)
    else:
        _refuse_without_model_new(python, tree)
    ours = imported_reference(tree, reference).splitlines()
    above = [*ours, *(row for passage in source.above for row in passage.lines)]
    at = _end_of_future_imports(tree) if above else 0
    if above:
        rows = python.split("\n")
        python = "\n".join([*rows[:at], *above, *rows[at:]])
        line_map[at:at] = [None] * len(above)
        tree = ast.parse(python)
    names: dict[str, None] = {}
    for literal in literals(python):
        if "__global__" in literal.value:
            names.update(dict.fromkeys(functions.kernels(literal.value)))
    names.update(dict.fromkeys(f"{kernel} (Triton)" for kernel in triton_kernels(tree)))
    return Candidate(
        source=source,
        python=python,
        language="python",
        kernels=tuple(names),
        sha256=_sha256(source),
        line_map=tuple(line_map),
        reading=_of_other_cells(source),
        above_at=at + len(ours),
    )


def _end_of_future_imports(tree: ast.Module) -> int:
    """The last line of imports from __future__, which stand in front of all else."""
    imports = [one for one in tree.body if isinstance(one, ast.ImportFrom) and one.module == "__future__"]
    return max((one.end_lineno or one.lineno for one in imports), default=0)


def _of_other_cells(source: Source) -> str:
    labels = dict.fromkeys(passage.label for passage in source.above)
    return f"The program is this cell with what it uses of {' and '.join(labels)}" if labels else ""


def _from_cuda(source: Source, cuda: str, operator: OperatorLike | None, reference: str | None) -> Candidate:
    if operator is None and reference is None:
        raise ProgramError(
            "CUDA C++ alone does not say which operator it is for",
            next(number for number, row in enumerate(to_lines(cuda), start=1) if row.strip()),
            "Name the operator or a reference, or define ModelNew in Python",
        )
    if operator is not None:
        python, line_map = program_around(cuda, operator)
    else:
        python, line_map = from_reference.program_around(cuda, reference or "")
    return Candidate(
        source=source,
        python=python,
        language="cuda",
        kernels=tuple(functions.kernels(cuda)),
        sha256=_sha256(source),
        line_map=line_map,
    )


def _from_markdown(
    source: Source, text: str, operator: OperatorLike | None, reference: str | None
) -> Candidate:
    code = code_in(text)
    if code is None:
        raise ProgramError(
            "No code block holds Python or CUDA C++", None, "Give the program in a ```python block"
        )
    if code.language == "cuda":
        return replace(_from_cuda(source, code.text, operator, reference), reading=code.reading)
    try:
        python, tree = parse_python(code.text)
    except TooDeep as error:
        raise ProgramError(
            "The program is nested too deeply for Python's parser",
            code.first_line,
            "Split the nested expression up",
        ) from error
    except SyntaxError as error:
        _refuse_syntax(error, code.text)
    return replace(_from_python(source, python, tree, reference), reading=code.reading)


def _refuse_unfit(text: str) -> None:
    # Length first: nothing below may read a text of 100 MB.
    if len(text) > MAX_SOURCE_BYTES:
        raise ProgramError(
            f"The text has {len(text) / 1e6:,.1f} million characters; a program has 1 MB at most",
            None,
            "Load data from a file instead of the program's text",
        )
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ProgramError("The text holds a NUL byte, so it is no program", line, "Save it as UTF-8 text")
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise ProgramError(
            "The text holds bytes that are not UTF-8", line, "Save it as UTF-8 text"
        ) from error
    if size > MAX_SOURCE_BYTES:
        raise ProgramError(
            f"The text has {size / 1e6:,.1f} MB; a program has 1 MB at most",
            None,
            "Load data from a file instead of the program's text",
        )


def _refuse_other_encodings(python: str) -> None:
    """The text here is UTF-8. Python would decode a file otherwise where its first two lines say so."""
    for number, row in enumerate(to_lines(python)[:2], start=1):
        named = _CODING.match(row)
        if named is not None and not _is_utf8(named[1]):
            raise ProgramError(
                f"The program says that its text is {named[1][:40]}, and it is read as UTF-8",
                number,
                "Save it as UTF-8, and remove this line",
            )
        if row.strip() and not row.lstrip().startswith("#"):
            return


def _is_utf8(encoding: str) -> bool:
    try:
        return codecs.lookup(encoding).name in ("utf-8", "utf-8-sig", "ascii")
    except LookupError:
        return False


def _refuse_syntax(error: SyntaxError, text: str) -> NoReturn:
    count = len(to_lines(text))
    line = min(max(error.lineno or 1, 1), count)
    message = (error.msg or "invalid syntax").split(" (<", 1)[0]
    step = "Correct this line"
    if (literal := fstring_of_cuda(text, line)) is not None:
        step = "Write {{ for { and }} for } in this f-string, but around names of Python"
        message = f"C++'s braces in an f-string ({message.removeprefix('f-string: ')})"
        repair = with_doubled_braces(text, *literal, step)
    else:
        repair = repaired("\n".join(to_lines(text)), line, message)
    edit = None
    if repair is not None:
        step, rows = repair.step, "".join(f"{row}\n" for row in repair.rows)
        edit = Edit(line=repair.first, column=0, text=rows, replaces=repair.last - repair.first + 1)
    raise ProgramError(f"Not valid Python: {message}", line, step, edit) from error


def _refuse_without_model_new(python: str, tree: ast.Module) -> None:
    bound = list(bindings(tree, "ModelNew"))
    if bound:
        what = _not_a_class(tree, bound[-1])
        if what:
            raise ProgramError(f"ModelNew is {what}, not a class", bound[-1].lineno, _DEFINE)
        return
    if any(isinstance(node, ast.ImportFrom) and any(a.name == "*" for a in node.names) for node in tree.body):
        return  # it may come from there; loading it will show
    near = near_model_new(tree)
    if near is not None and near.name == "ModelNew":
        what = "No ModelNew: the class is not at module level"
        raise ProgramError(what, near.lineno, f"{_DEFINE}, at module level")
    if near is not None:
        what = f"The program defines {near.name}: did you mean ModelNew?"
        edit = _below(python, near, f"ModelNew = {near.name}") if near in tree.body else None
        raise ProgramError(what, near.lineno, f"Name it ModelNew, or add ModelNew = {near.name} below it", edit)
    modules = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name != "Model"]
    modules = [node for node in modules if any("Module" in ast.dump(base) for base in node.bases)]
    if len(modules) == 1:
        name = modules[0].name
        raise ProgramError(
            f"The program defines {name}, but no ModelNew",
            modules[0].lineno,
            f"Add ModelNew = {name} below it",
            _below(python, modules[0], f"ModelNew = {name}"),
        )
    models = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Model"]
    if len(models) == 1 and load_inline_calls(tree):  # with a kernel it is more than the problem's own text
        what = "The program defines Model with a kernel, but no ModelNew"
        edit = _below(python, models[0], "ModelNew = Model")
        raise ProgramError(what, models[0].lineno, "Add ModelNew = Model below it", edit)
    raise ProgramError("The program defines no ModelNew", None, _DEFINE)


def _below(python: str, node: ast.ClassDef, row: str) -> Edit:
    """A row behind a class of the module."""
    last = node.end_lineno or node.lineno
    return Edit(line=last, column=len(to_lines(python)[last - 1]), text=f"\n\n\n{row}", replaces=0)


def _not_a_class(tree: ast.Module, statement: ast.stmt) -> str | None:
    """What ModelNew is, where the text alone shows that it is no class."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return "a function"
    if isinstance(statement, ast.Import):
        return "a package"
    value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
    if isinstance(statement, ast.Assign) and not isinstance(statement.targets[0], ast.Name):
        return None  # unpacked: its parts are not looked into
    if isinstance(value, ast.Lambda):
        return "a function"
    if isinstance(value, ast.Constant):
        return repr(value.value)[:40]
    if isinstance(value, (ast.List, ast.Tuple, ast.Dict, ast.Set, ast.JoinedStr, ast.ListComp)):
        return "a value"
    if isinstance(value, ast.Name) and value.id != "ModelNew":
        origin = list(bindings(tree, value.id))
        if origin and isinstance(origin[-1], (ast.FunctionDef, ast.AsyncFunctionDef)):
            return "a function"
    return None


def _sha256(source: Source) -> str:
    return hashlib.sha256(source.text.encode()).hexdigest()
