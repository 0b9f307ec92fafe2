"""Certain fixes of how a program calls load_inline: an argument's name, flags as one text, kernels in cpp_sources.

In: a candidate, and the line or the argument that an error is about. Out: the changed Python, or None where the text
does not show it for certain. Not here: the names in `functions` (`repair.binding_fixes`, `repair.rewrites`). The judge
proves a change before it is offered.
"""

from __future__ import annotations

import ast
import difflib
import re

from kernelgate.cuda_source import functions
from kernelgate.program.candidate import Candidate
from kernelgate.repair import rewrites
from kernelgate.repair.python_places import replaced, span

_ARGUMENTS = (
    "name",
    "cpp_sources",
    "cuda_sources",
    "functions",
    "extra_cflags",
    "extra_cuda_cflags",
    "extra_ldflags",
    "extra_include_paths",
    "build_directory",
    "verbose",
    "with_cuda",
    "is_python_module",
    "with_pytorch_error_handling",
    "keep_intermediates",
    "use_pch",
    "no_implicit_headers",
)


def meant_argument(name: str) -> str | None:
    """The argument of load_inline that has nearly that name."""
    near = difflib.get_close_matches(name, _ARGUMENTS, n=1, cutoff=0.7)
    return near[0] if near else None


def argument_renamed(candidate: Candidate, line: int | None, name: str) -> str | None:
    """A call's keyword by the name that load_inline has for it; without it, where it has none like it."""
    meant = meant_argument(name)
    keyword = _keyword(candidate, line, name)
    if keyword is None:
        return None
    if meant is None:
        return rewrites.without_argument(candidate, line or 0, name)
    return _named(candidate, keyword, meant)


def flags_listed(candidate: Candidate, line: int | None, argument: str) -> str | None:
    """Flags that are one text as a list of flags."""
    keyword = _keyword(candidate, line, argument)
    value = keyword.value if keyword is not None else None
    if not isinstance(value, ast.Constant) or not isinstance(value.value, str):
        return None
    if value.lineno != value.end_lineno or '"' in value.value:
        return None
    listed = ", ".join(f'"{flag}"' for flag in value.value.split())
    return replaced(candidate.python, [value], f"[{listed}]")


def as_cuda(candidate: Candidate, line: int | None) -> str | None:
    """Kernels that stand in cpp_sources as cuda_sources, with the declarations that the binding needs."""
    keyword = _keyword(candidate, line, "cpp_sources")
    call = candidate.extension(None, line)
    if keyword is None or call is None or _keyword(candidate, line, "cuda_sources") is not None:
        return None
    hosts = [
        each
        for literal in candidate.literals
        for each in functions.functions(literal.value)
        if each.kind == "host" and each.defined and each.name in call.functions and not each.hidden
    ]
    declared = " ".join(each.prototype for each in hosts)
    if {each.name for each in hosts} != set(call.functions) or '"' in declared:
        return None
    instead = f'cpp_sources="{declared}", cuda_sources'
    return _named(candidate, keyword, instead)


def _keyword(candidate: Candidate, line: int | None, name: str) -> ast.keyword | None:
    """The keyword of the load_inline call that begins in a line, or holds it."""
    for node in ast.walk(candidate.tree):
        if not isinstance(node, ast.Call) or not re.search(r"\bload_inline$", ast.unparse(node.func)):
            continue
        if line is None or node.lineno <= line <= (node.end_lineno or node.lineno):
            return next((each for each in node.keywords if each.arg == name), None)
    return None


def _named(candidate: Candidate, keyword: ast.keyword, name: str) -> str:
    """The Python with another name before the = of a keyword."""
    begin = span(candidate.python, keyword)[0]
    return candidate.python[:begin] + name + candidate.python[begin + len(keyword.arg or "") :]
