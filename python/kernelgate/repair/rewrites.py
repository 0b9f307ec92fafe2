"""Changes of a program's text that remove one error each: an argument dropped, a flag taken out.

In: a candidate, and what to change. Out: the program's Python as it then reads, or None if the text does not hold
what is to be changed. Not here: which error asks for which change, and where the difference goes in the person's cell
(`edits`). The judge proves every fix that comes of these.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from kernelgate.cuda_source import functions
from kernelgate.program.candidate import Candidate
from kernelgate.repair.edits import span

_OPTIONS = ("extra_cflags", "extra_cuda_cflags", "extra_ldflags")


def with_rows(candidate: Candidate, line: int, rows: Sequence[str]) -> str:
    """`rows` behind a line of the Python."""
    all_rows = candidate.python.split("\n")
    return "\n".join([*all_rows[:line], *rows, *all_rows[line:]])


def without_argument(candidate: Candidate, line: int, argument: str) -> str | None:
    """A load_inline call without one of its keyword arguments."""
    for node in ast.walk(candidate.tree):
        if isinstance(node, ast.Call) and node.lineno == line:
            for keyword in node.keywords:
                if keyword.arg == argument:
                    return _cut(candidate.python, keyword)
    return None


def without_flags(candidate: Candidate, architecture: str) -> str | None:
    """Without the compiler's flags that name an architecture, as 35; or without the variable that does."""
    number = re.escape(f"{architecture[:-1]}.{architecture[-1]}")
    for node in candidate.tree.body:
        if "TORCH_CUDA_ARCH_LIST" in ast.dump(node) and re.search(number, ast.unparse(node)):
            return _without_rows(candidate.python, node.lineno, node.end_lineno or node.lineno)
    for flags in _flags(candidate):
        words = [part.value if isinstance(part, ast.Constant) else "" for part in flags.elts]
        for at, part in enumerate(flags.elts):
            if not re.search(rf"(?:compute|sm)_{architecture}[af]?\b", str(words[at])):
                continue
            pair = at and re.fullmatch(r"-gencode|--generate-code|-arch", str(words[at - 1]))
            first = flags.elts[at - 1] if pair else part
            return _cut(candidate.python, first, part)
    return None


def with_cuda_flags(candidate: Candidate, flags: Sequence[str]) -> str | None:
    """With flags for nvcc behind those of its one load_inline call."""
    lines = [(call.line, call.end_line) for call in candidate.extensions]
    calls = [
        node
        for node in ast.walk(candidate.tree)
        if isinstance(node, ast.Call) and (node.lineno, node.end_lineno) in lines
    ][:1]  # the outermost comes first
    if len(lines) != 1 or not calls:
        return None
    text, python = ", ".join(f'"{flag}"' for flag in flags), candidate.python
    given = next((one.value for one in calls[0].keywords if one.arg == "extra_cuda_cflags"), None)
    if given is not None and not isinstance(given, ast.List):
        return None
    end = span(python, given if given is not None else calls[0])[1] - 1
    before = python[:end].rstrip()
    comma = {"[": "", "(": "", ",": " "}.get(before[-1], ", ")
    added = text if given is not None else f"extra_cuda_cflags=[{text}]"
    return f"{before}{comma}{added}{python[len(before) :]}"


def without_an_architecture(candidate: Candidate) -> str | None:
    """Without the first architecture that flags or a variable name."""
    named = re.findall(r"(?:compute|sm)_(\d+)|TORCH_CUDA_ARCH_LIST\W+(\d+\.\d)", candidate.python)
    tried = (without_flags(candidate, flag or variable.replace(".", "")) for flag, variable in named)
    return next(filter(None, tried), None)


def is_defined(candidate: Candidate, name: str) -> bool:
    """Whether a source defines a function of that name."""
    known = (each for literal in candidate.literals for each in functions.functions(literal.value))
    return any(each.name == name and each.defined for each in known)


def declared_at(candidate: Candidate, name: str) -> int | None:
    """The line of Python with the one declaration of a function; None if there is none, or several."""
    found = [
        literal.line_of(each.line)
        for literal in candidate.literals
        for each in functions.functions(literal.value)
        if each.name == name and not each.defined
    ]
    return found[0] if len(found) == 1 else None


def _flags(candidate: Candidate) -> Iterator[ast.List]:
    """The lists of flags that its load_inline calls pass, if they are written out."""
    for call in candidate.extensions:
        literal = [call.literals[name] for name in _OPTIONS if name in call.literals]
        parts = {id(part) for parts in literal for part in parts}
        for node in ast.walk(candidate.tree):
            if isinstance(node, ast.List) and any(id(part) in parts for part in node.elts):
                yield node


def _cut(python: str, first: ast.expr | ast.keyword, last: ast.expr | ast.keyword | None = None) -> str:
    """Without an argument, or the entries of a list from `first` to `last`, and the comma behind or before them."""
    begin, stop = span(python, first)[0], span(python, last or first)[1]
    behind = re.match(r"[ \t]*,[ \t]*", python[stop:])
    if behind is not None:
        stop += behind.end()
    elif (before := re.search(r",\s*$", python[:begin])) is not None:
        begin = before.start()
    alone = python[:begin].rstrip(" \t").endswith("\n") and python[stop:].startswith("\n")
    return python[:begin].rstrip(" \t") + python[stop + 1 :] if alone else python[:begin] + python[stop:]


def _without_rows(python: str, first: int, last: int) -> str:
    rows = python.split("\n")
    return "\n".join([*rows[: first - 1], *rows[last:]])
