"""Errors of pointers: a tensor where a pointer is meant, a const that is lost, and one that is in the way.

In: a failed build and one of its errors. Out: `Explained`, or None for another error. A certain change is given as a
fix; the judge proves it. Not here: pointers to elements of another type (`repair.known_errors`).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from kernelgate.cuda_source import functions
from kernelgate.messages.failures import Diagnostic
from kernelgate.repair import rewrites
from kernelgate.repair.failed_build import Explained, FailedBuild, explained

_TENSOR = re.compile(
    r"cannot convert '(?:at|torch)::Tensor' to '(?:const )?[\w:]+ ?\*"
    r"|no suitable conversion function from \"(?:at|torch)::Tensor\" to \"(?:const )?[\w:]+ \*"
)
_LAUNCH = re.compile(r"\b(?P<kernel>\w+)\s*(?:<[^;{}<>]*>)?\s*<<<")
_ARGUMENTS = r"(>>>\s*\()([^;]*)(\)\s*;)"


def _tensor_as_pointer(build: FailedBuild, error: Diagnostic) -> Explained | None:
    if _TENSOR.search(error.message) is None:
        return None
    source, row = build.units.source(error.unit), build.units.row(error)
    found = _LAUNCH.search(build.units.text(error))
    kernels = [
        each
        for each in functions.functions(source)
        if found is not None and each.name == found["kernel"] and each.kind == "kernel"
    ]
    changed = None
    if row is not None and len(kernels) == 1:
        types = [each.type for each in kernels[0].parameters]

        def with_pointers(at: re.Match[str]) -> str:
            parts = functions.split(at.group(2), ",")
            if len(parts) != len(types):
                return at.group()
            return f"{at.group(1)}{','.join(map(_as_pointer, parts, types))}{at.group(3)}"

        changed = rewrites.replaced_in_statement(build.candidate, row, _ARGUMENTS, with_pointers)
    about = "a tensor is passed where a kernel takes a pointer"
    return explained(build, error, about, "Pass data_ptr<float>() of the tensor", changed)


def _as_pointer(argument: str, type_: str) -> str:
    """An argument that is a name alone, as the pointer that its parameter takes."""
    pointer = re.match(r"(?:const\s+)?([\w:]+)\s*\*", type_)
    if pointer is None or not re.fullmatch(r"\s*[A-Za-z_]\w*\s*", argument):
        return argument
    return argument.replace(argument.strip(), f"{argument.strip()}.data_ptr<{pointer[1]}>()")


_LOST = re.compile(
    r"invalid conversion from 'const (?P<one>[\w:]+) ?\*[^']*' to '(?P=one) ?\*"
    r"|a value of type \"const (?P<two>[\w:]+) \*\" cannot be used to initialize an entity of type \"(?P=two) \*"
)


def _lost_const(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """A pointer that is declared without the const of what it is made from."""
    found, row = _LOST.search(error.message), build.units.row(error)
    if found is None or row is None:
        return None
    type_ = found["one"] or found["two"]
    changed = rewrites.replaced_in_row(
        build.candidate, row, rf"(?<!const )\b(?={type_}\s*\*\s*(?:__restrict__\s+)?\w+\s*=)", "const "
    )
    about = f"a pointer to {type_} is made from a pointer to const {type_}"
    return explained(build, error, about, f"Declare it const {type_}*", changed)


_READ_ONLY = re.compile(r"assignment of read-only location|must be a modifiable lvalue")
_WRITTEN = re.compile(r"^\s*(?:if\s*\([^;]*\)\s*)?\*?(?P<name>\w+)\s*(?:\[|=|\+=|-=|\*=)")


def _write_to_const(build: FailedBuild, error: Diagnostic) -> Explained | None:
    found = _WRITTEN.search(build.units.text(error)) if _READ_ONLY.search(error.message) else None
    if found is None:
        return None
    name, source = found["name"], build.units.source(error.unit)
    seen, line = functions.blank(source).split("\n"), build.units.line(error)
    pattern = rf"\bconst\s+(?=[\w:]+\s*\*[^,;(){{}}=]*\b{name}\b)"
    at = next((n for n in range(line, max(0, line - 60), -1) if re.search(pattern, seen[n - 1])), None)
    row = build.candidate.source_line(source, at) if at is not None else None
    changed = rewrites.replaced_in_row(build.candidate, row, pattern, "") if row is not None else None
    about = f"{name} is written, and points to const"
    return explained(build, error, about, f"Declare {name} without const", changed)


def _sizes_of_int(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """`int shape[4]`, where PyTorch takes sizes of 64 bits."""
    text, source = build.units.text(error), build.units.source(error.unit)
    arrays = re.findall(r"\bint\s+(\w+)\s*\[", functions.blank(source)) if "IntArrayRef" in error.message else []
    name = next((each for each in arrays if re.search(rf"\b{each}\b", text)), None)
    if name is None:
        return None
    changed = rewrites.replaced_in_source(build.candidate, source, rf"\bint(?=\s+{name}\s*\[)", "int64_t")
    return explained(build, error, f"{name} holds int, and sizes are int64_t", f"Declare int64_t {name}[]", changed)


POINTER_ERRORS: tuple[Callable[[FailedBuild, Diagnostic], Explained | None], ...] = (
    _tensor_as_pointer,
    _lost_const,
    _write_to_const,
    _sizes_of_int,
)
"""In order; the first that knows an error explains it."""
