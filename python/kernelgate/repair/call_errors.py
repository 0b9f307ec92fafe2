"""Errors of calls and launches: a launch of what is no kernel, a kernel that is called, arguments that do not fit.

In: a failed build and one of its errors. Out: `Explained`, or None for another error. A certain change is given as a
fix; the judge proves it. Not here: other errors (`repair.known_errors`).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from kernelgate.cuda_source import functions
from kernelgate.cuda_source.launches import bad_launches
from kernelgate.messages.failures import Diagnostic
from kernelgate.repair import rewrites
from kernelgate.repair.failed_build import Explained, FailedBuild, explained

_LAUNCHED = re.compile(r"\b(?P<name>\w+)\s*(?:<[^;{}]*>)?\s*<<<")
_NO_KERNEL = re.compile(r"(?:host|device|__host__|__device__) function call can ?not be configured")
_NOT_LAUNCHED = re.compile(r"__global__ function call must be configured")
_RETURNS = re.compile(r"__global__ function must have a void return type")


def _launch_of_no_kernel(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """`name<<<...>>>` of a function that its definition does not make a kernel."""
    launched = _LAUNCHED.search(build.units.text(error)) if _NO_KERNEL.search(error.message) else None
    if launched is None:
        return None
    name, source = launched["name"], build.units.source(error.unit)
    found = [each for each in functions.functions(source) if each.name == name and each.defined]
    changed = None
    if found and all(each.returns == "void" for each in found):
        changed = rewrites.replaced_in_source(
            build.candidate,
            source,
            rf"(?<!\w)(?:(?:__device__|__host__|__forceinline__|inline|static)\s+)*void(?=\s+{name}\s*\()",
            "__global__ void",
        )
    return explained(
        build,
        error,
        f"{name} is launched, and its definition lacks __global__",
        f"Write __global__ void {name}(...)",
        changed,
        build.units.place_in(error.unit, found[0].line) if found else None,
    )


_LAUNCH = re.compile(r"\b(?P<name>\w+)\s*<<<(?P<given>[^;{}]*?)>>>")
_TWO_MARKS = re.compile(r"\b(?P<name>\w+)(?P<open>\s*)<<(?!<)(?P<given>[^;{}<>]*)>>(?!>)(?=\s*\()")


def _launch_without_threads(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """`name<<<blocks>>>`, or `name<<<(blocks, threads)>>>`, whose comma gives the threads alone."""
    found, row = _LAUNCH.search(build.units.text(error)), build.units.row(error)
    if found is None or len(functions.split(found["given"], ",")) > 1:
        return None
    given = found["given"].strip()
    inside = given[1:-1].strip() if given.startswith("(") and given.endswith(")") else ""
    changed = None
    if row is not None and len(functions.split(inside, ",")) > 1:
        changed = rewrites.replaced_in_statement(
            build.candidate, row, re.escape(f"<<<{found['given']}>>>"), f"<<<{inside}>>>"
        )
    about = f"the launch of {found['name']} gives blocks, and no threads"
    return explained(build, error, about, f"Launch it: {found['name']}<<<blocks, threads>>>(...)", changed)


def _launch_with_two_marks(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """`name<<blocks, threads>>(...)`, which C++ reads as shifts."""
    found, row = _TWO_MARKS.search(build.units.text(error)), build.units.row(error)
    if found is None or row is None or found["name"] not in functions.kernels(build.units.source(error.unit)):
        return None
    name = found["name"]
    changed = rewrites.replaced_in_statement(
        build.candidate,
        row,
        rf"\b{name}(\s*)<<(?!<)([^;{{}}<>]*)>>(?!>)(?=\s*\()",
        rf"{name}\1<<<\2>>>",
    )
    return explained(build, error, f"{name} is launched with << >>", f"Write {name}<<<...>>>(...)", changed)


_TOO_FEW_MARKS = r"(<<<[^;{}]*?)(?:(?<!>)>>(?!>)|>\s+>\s*>|>\s*>\s+>)(?=\s*\()"
_ROWS_OF_A_LAUNCH = 10


def _unclosed_launch(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """`name<<<blocks, threads>>(...)`, whatever a compiler then complains of in this statement."""
    source, at = build.units.source(error.unit), build.units.line(error)
    unclosed = [line for line, words in bad_launches(source) if words.endswith('">>>"')]
    line = next((one for one in unclosed if one <= at < one + _ROWS_OF_A_LAUNCH), None)
    found = _LAUNCHED.search(source.split("\n")[line - 1]) if line is not None else None
    if line is None or found is None:
        return None
    name, row = found["name"], build.candidate.source_line(source, line)
    changed = None
    if row is not None:
        changed = rewrites.replaced_in_statement(build.candidate, row, _TOO_FEW_MARKS, r"\1>>>")
    place, step = build.units.place_in(error.unit, line), f"Write {name}<<<...>>>(...)"
    return explained(build, error, f"the launch of {name} is not closed by >>>", step, changed, place)


def _call_of_kernel(build: FailedBuild, error: Diagnostic) -> Explained | None:
    if _NOT_LAUNCHED.search(error.message) is None:
        return None
    kernels = functions.kernels(build.units.source(error.unit))
    called = [name for name in kernels if re.search(rf"\b{name}\b", build.units.text(error))]
    name = called[0] if called else "a kernel"
    step = f"Launch it: {name}<<<blocks, threads>>>(...)"
    return explained(build, error, f"{name} is a kernel, and is called without a launch", step)


def _kernel_with_value(build: FailedBuild, error: Diagnostic) -> Explained | None:
    if _RETURNS.search(error.message) is None:
        return None
    step = "Make it void, and write its results through a pointer"
    return explained(build, error, "a kernel returns a value, which no launch takes", step)


_TOO_FEW = re.compile(r"too few arguments|candidate expects \d+ arguments?, \d+ provided")
_TOO_MANY = re.compile(r"too many arguments")


def _argument_count(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """A launch with fewer or more arguments than its kernel has parameters."""
    if not (_TOO_FEW.search(error.message) or _TOO_MANY.search(error.message)):
        return None
    source, line = build.units.source(error.unit), build.units.line(error)
    rows = source.split("\n")
    near = next((at for at in range(line, max(0, line - 5), -1) if _LAUNCHED.search(rows[at - 1])), None)
    launched = _LAUNCHED.search(rows[near - 1]) if near is not None else None
    if near is None or launched is None:
        return None
    name = launched["name"]
    kernel = next((f for f in functions.functions(source) if f.name == name and f.kind == "kernel"), None)
    given = _given("\n".join(rows[near - 1 :]))
    if kernel is None or given is None or given == len(kernel.parameters):
        return None
    takes = ", ".join(each.name or each.type for each in kernel.parameters)
    return explained(
        build,
        error,
        f"{name} has {len(kernel.parameters)} parameters, and is launched with {given}",
        f"Launch it with its parameters: {takes}",
        place=build.units.place_in(error.unit, near),
    )


def _given(text: str) -> int | None:
    """How many arguments the first launch of a text passes."""
    seen = functions.blank(text)
    opening = re.search(r">>>\s*\(", seen)
    if opening is None:
        return None
    depth = 1
    for at in range(opening.end(), len(seen)):
        depth += {"(": 1, ")": -1}.get(seen[at], 0)
        if depth == 0:
            inside = seen[opening.end() : at]
            return len(functions.split(inside, ",")) if inside.strip() else 0
    return None


_EXTREME = re.compile(
    r"no (?:matching function for call to '|instance of (?:overloaded )?function(?: template)? \"std::)"
    r"(?P<name>max|min)\b"
)
_INTEGER = r"(?:unsigned )?(?:int|long(?: long)?(?: int)?)|int64_t|long unsigned int|unsigned|size_t"
_WHOLE = rf"(?:const )?(?:{_INTEGER})(?: ?&)?"
_WHOLE_NUMBERS = re.compile(rf"\({_WHOLE}, ?{_WHOLE}\)")
_FLOAT = r"(?:const )?(?:float|double)(?: ?&)?"
_FLOATS = re.compile(rf"\({_FLOAT}, ?{_FLOAT}\)")


def _extreme_of_two_types(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """std::max and std::min of two types; of whole numbers, 64 bits hold both. A float beside a double is mostly one
    beside a number like 0.0."""
    found = _EXTREME.search(error.message)
    if found is None:
        return None
    name, row = found["name"], build.units.row(error)
    whole, floats = _WHOLE_NUMBERS.search(error.message), _FLOATS.search(error.message)
    kind = "int64_t" if whole else "float" if re.search(r"\bfloat\b", error.message) else "double"
    changed = None
    if row is not None and (whole or floats):
        changed = rewrites.replaced_in_statement(
            build.candidate, row, rf"\bstd::{name}(?=\s*\()", f"std::{name}<{kind}>"
        )
    step = f"Name the type: std::{name}<{kind}>(a, b)"
    return explained(build, error, f"std::{name} is given two types", step, changed)


_OVERLOADED = re.compile(r"call of overloaded '(?P<name>max|min)(?P<types>\([^']*\))' is ambiguous")


def _ambiguous_extreme(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """CUDA's max and min of two types: fmaxf where one is a float; std::max<int64_t> of whole numbers on the host."""
    found, row = _OVERLOADED.search(error.message), build.units.row(error)
    if found is None:
        return None
    name, line = found["name"], build.units.line(error)
    around = [f for f in functions.functions(build.units.source(error.unit)) if f.line <= line and f.defined]
    if re.search(r"\bfloat\b", found["types"]) and "double" not in found["types"]:
        instead = f"f{name}f"
    elif _WHOLE_NUMBERS.search(found["types"]) and around and around[-1].kind == "host":
        instead = f"std::{name}<int64_t>"
    else:
        return None
    changed = None
    if row is not None:
        changed = rewrites.replaced_in_statement(build.candidate, row, rf"(?<![\w:]){name}(?=\s*\()", instead)
    about = f"{name} is given two types, {found['types'].strip('()')}"
    return explained(build, error, about, f"Write {instead}(a, b)", changed)


_NO_MATCH = re.compile(
    r"no matching function for call to '(?P<name>\w+)\(|no instance of function template \"(?P<template>\w+)\""
)


def _template_without_arguments(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """A kernel that is a template, and whose parameters do not say of what."""
    found, row = _NO_MATCH.search(error.message), build.units.row(error)
    name = (found["name"] or found["template"]) if found is not None else ""
    if not name or not re.search(rf"\b{name}\s*<<<", build.units.text(error)):
        return None
    seen = functions.without_directives(functions.blank(build.units.source(error.unit)))
    kernel = re.search(rf"\btemplate\s*<([^<>]*)>[^;{{}}]*?\b__global__\b[^;{{}}]*?\b{name}\s*\(([^)]*)\)", seen)
    if kernel is None:
        return None
    given = [one.split("=")[0].split() for one in kernel[1].split(",") if "=" not in one]
    missing = [words[-1] for words in given if words and not re.search(rf"\b{words[-1]}\b", kernel[2])]
    if not missing:
        return None
    of_one_type = len(given) == 1 and given[0][0] in ("typename", "class")
    changed = None
    if row is not None and of_one_type:
        changed = rewrites.replaced_in_statement(build.candidate, row, rf"\b{name}(?=\s*<<<)", f"{name}<float>")
    about = f"{name} is a template, and no argument says what {missing[0]} is"
    step = f"Launch it with its template arguments: {name}<{'float' if of_one_type else ', '.join(missing)}><<<...>>>"
    return explained(build, error, about, step, changed)


CALL_ERRORS: tuple[Callable[[FailedBuild, Diagnostic], Explained | None], ...] = (
    _launch_of_no_kernel,
    _launch_without_threads,
    _launch_with_two_marks,
    _unclosed_launch,
    _call_of_kernel,
    _kernel_with_value,
    _argument_count,
    _extreme_of_two_types,
    _ambiguous_extreme,
    _template_without_arguments,
)
"""In order; the first that knows an error explains it."""
