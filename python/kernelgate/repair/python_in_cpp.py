"""Python in C++ sources: True, comments with #, x @ y, x.shape, x.size[1], a method without its call.

In: a failed build and one of its errors. Out: `Explained`, or None for another error. A certain change is given as a
fix; the judge proves it. Not here: other errors (`repair.known_errors`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kernelgate.cuda_source import functions
from kernelgate.messages.failures import Diagnostic
from kernelgate.repair import rewrites
from kernelgate.repair.failed_build import Explained, FailedBuild, explained, undeclared_name

_WORDS = {"True": "true", "False": "false", "None": "nullptr"}


def _word(build: FailedBuild, error: Diagnostic) -> Explained | None:
    name = undeclared_name(error) or ""
    cpp, row = _WORDS.get(name), build.units.row(error)
    if cpp is None:
        return None
    changed = None
    if row is not None:
        changed = rewrites.replaced_in_statement(build.candidate, row, rf"\b{name}\b", cpp)
    return explained(build, error, f"{name} is Python, not C++", f"Write {cpp}", changed)


_METHODS = (
    "numel|dim|sizes|strides|is_cuda|is_contiguous|contiguous|options|scalar_type|device|dtype|element_size"
)


@dataclass(frozen=True)
class _Habit:
    """`message`: what compilers say of it; `row`: how it is written; `instead`: what C++ writes, with the groups of
    `row`, or "" where no change is certain."""

    message: re.Pattern[str]
    row: re.Pattern[str]
    about: str
    next_step: str
    instead: str = ""


_HABITS = (
    _Habit(
        re.compile(r"preprocessing directive"),
        re.compile(r"(?m)^([ \t]*)#(?=[ \t]*\w)"),
        "a comment begins with #, as in Python",
        "Begin it with //",
        r"\1//",
    ),
    _Habit(
        re.compile(r"stray '@'|unrecognized token"),
        re.compile(r"([\w.]+(?:\([^()]*\))?)\s*@\s*([\w.]+(?:\([^()]*\))?)"),
        "@ is Python's product of matrices",
        "Write torch::matmul(a, b)",
        r"torch::matmul(\1, \2)",
    ),
    _Habit(
        re.compile(r"no member (?:named )?['\"]shape"),
        re.compile(r"\.shape\s*[\[(]([^\[\]()]+)[\])]"),
        "a tensor has no shape in C++",
        "Write size(i)",
        r".size(\1)",
    ),
    _Habit(
        re.compile(r"no member (?:named )?['\"]shape"),
        re.compile(r"\.shape\b(?:\(\))?"),
        "a tensor has no shape in C++",
        "Write sizes()",
        ".sizes()",
    ),
    _Habit(
        re.compile(r"no member (?:named )?['\"]ndim"),
        re.compile(r"\.ndim\b(?:\(\))?"),
        "a tensor has no ndim in C++",
        "Write dim()",
        ".dim()",
    ),
    _Habit(
        re.compile(
            r"array subscript|pointer-to-object|must have pointer|member function|bound function|must be called"
        ),
        re.compile(r"\.(size|stride)\s*\[([^\[\]]+)\]"),
        "size of a tensor is a function in C++",
        "Write size(i)",
        r".\1(\2)",
    ),
    _Habit(
        re.compile(
            r"member function|bound function|must be called|overloaded function|from type '[^']*\(\w+::"
        ),
        re.compile(rf"\.({_METHODS})\b(?!\s*\()"),
        "a method of a tensor is named and not called",
        "Write () behind it",
        r".\1()",
    ),
    _Habit(
        re.compile(r"unary '\*'|operand of \"\*\" must be a pointer"),
        re.compile(r"\*\*\s*[\w.(]"),
        "** is Python's power",
        "Write a * a, or powf(a, b)",
    ),
)


def _habit(build: FailedBuild, error: Diagnostic) -> Explained | None:
    text, row = build.units.text(error), build.units.row(error)
    seen = functions.blank(text)
    for habit in _HABITS:
        if habit.message.search(error.message) is None or habit.row.search(seen) is None:
            continue
        if row is None or not habit.instead:
            return explained(build, error, habit.about, habit.next_step)
        changed = rewrites.replaced_in_row(build.candidate, row, habit.row.pattern, habit.instead)
        return explained(build, error, habit.about, habit.next_step, changed)
    return None


_FIELD = re.compile(r"(?<!\{)\{(?P<name>[A-Za-z_]\w*)\}(?!\})")


def _lost_prefix(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """`{NAME}` of a name that the program assigns, in a text that is no f-string."""
    found = _FIELD.search(build.units.text(error))
    text = _text_with(build, error, found.group()) if found is not None else None
    if found is None or text is None or found["name"] not in _assigned(build.candidate.tree):
        return None
    changed = None
    if "{{" in text.value:
        rows = build.candidate.python.split("\n")
        row = rows[text.lineno - 1].encode()
        rows[text.lineno - 1] = (row[: text.col_offset] + b"f" + row[text.col_offset :]).decode()
        changed = "\n".join(rows)
    about = f"{found.group()} stands in a text that is no f-string"
    place = build.candidate.place(text.lineno)
    return explained(build, error, about, "Write f before the text, and every other brace twice", changed, place)


def _text_with(build: FailedBuild, error: Diagnostic, field: str) -> Any:
    """The constant of Python that holds a field, and is a part of the source that the error is in."""
    source = build.units.source(error.unit)
    for node in ast.walk(build.candidate.tree):
        value = node.value if isinstance(node, ast.Constant) else None
        if isinstance(value, str) and value.strip() and field in value and value in source:
            return node
    return None


def _assigned(tree: ast.Module) -> set[str]:
    """The names that a program assigns outside of its functions."""
    targets = [each for node in tree.body if isinstance(node, ast.Assign) for each in node.targets]
    return {each.id for each in targets if isinstance(each, ast.Name)}


PYTHON_IN_CPP: tuple[Callable[[FailedBuild, Diagnostic], Explained | None], ...] = (_word, _lost_prefix, _habit)
"""In order; the first that knows an error explains it."""
