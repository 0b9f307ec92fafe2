"""What certainly removes an exception, where the program's text shows it.

In: a candidate and what it raised. Out: `Fix` or None. Not here: what is said of the exception
(`repair.exception_advice`), the changes themselves (`python_fixes`, `module_fixes`, `binding_fixes`).
"""

from __future__ import annotations

import re

from kernelgate.messages.failures import Raised
from kernelgate.program import braces
from kernelgate.program.candidate import Candidate
from kernelgate.repair import (
    binding_fixes,
    dispatch_fixes,
    load_inline_fixes,
    module_fixes,
    python_fixes,
    rewrites,
)

NO_MODULE = re.compile(r"No module named '(?P<name>[\w.]+)'")
_NO_NAME = re.compile(r"cannot import name '(?P<name>\w+)' from '(?P<module>[\w.]+)'")
# at::TensorBase::data_ptr<__half>() and its kin are declared, and defined nowhere.
HALF_POINTER = re.compile(r"undefined symbol: \w*data_ptrI(?:6__half|13__nv_bfloat16)E")
OTHER_TYPE = re.compile(r"expected scalar type (?P<asked>\w+) but found (?P<held>\w+)")
_NO_TYPE = re.compile(r"^\"(?P<name>\w+)\" not implemented for '(?P<missing>\w+)'")
NO_MODULE_FUNCTION = "does not define module export function"
NO_ARGUMENT = re.compile(r"load_inline\(\) got an unexpected keyword argument '(?P<name>\w+)'")
FLAGS_AS_TEXT = re.compile(r"load_inline takes a list of flags as (?P<name>\w+)")
NO_CALL = "'module' object is not callable"
NO_ATTRIBUTE = re.compile(r"module '?(?P<name>[\w.]*)'? ?has no attribute '(?P<missing>\w+)'")


def certain_fix(candidate: Candidate, raised: Raised, problem: str) -> python_fixes.Fix | None:
    """What certainly removes the exception, where the program's text shows it."""
    if raised.type == "ModuleNotFoundError" and (found := NO_MODULE.match(raised.message)) is not None:
        name = found.group("name")
        return (
            python_fixes.import_interface(candidate, name)
            or module_fixes.module_meant(candidate, name)
            or python_fixes.unused_import(candidate, name)
        )
    if raised.type == "ImportError" and (found := _NO_NAME.match(raised.message)) is not None:
        return python_fixes.unused_import(candidate, found.group("module"), found.group("name"))
    if raised.type == "TypeError" and (fix := _of_load_inline(candidate, raised)) is not None:
        return fix
    symbol = undefined_symbol(candidate, raised)
    if symbol is not None:
        return python_fixes.matching_declaration(candidate, symbol)
    if HALF_POINTER.search(raised.message):
        return python_fixes.half_pointers(candidate)
    if NO_MODULE_FUNCTION in raised.message:
        return binding_fixes.listed(candidate, raised.extension, frame_line(raised))
    if raised.type == "AttributeError" and (found := NO_ATTRIBUTE.search(raised.message)) is not None:
        return binding_fixes.bound_name(candidate, found.group("missing"))
    if "no kernel image is available" in raised.message:
        step = "Take the flags that name architectures out: PyTorch's are those of this GPU"
        return python_fixes.rewriting(candidate, rewrites.without_an_architecture(candidate), step)
    if "invalid configuration argument" in raised.message:
        return python_fixes.smaller_blocks(candidate)
    if "CUDA error: invalid argument" in raised.message:  # what a launch with too much shared memory gives
        return python_fixes.allowed_memory(candidate)
    if (found := OTHER_TYPE.search(raised.message)) is not None:
        typed = python_fixes.pointers_of(candidate, found["asked"], found["held"])
        return python_fixes.like_input(candidate) or (typed[0] if typed is not None else None)
    if (found := _NO_TYPE.search(raised.message)) is not None:
        listed = dispatch_fixes.with_type(candidate, found["name"], found["missing"])
        if listed is not None:
            step = f"Dispatch with {listed[1]}, which has {found['missing']}"
            return python_fixes.rewriting(candidate, listed[0], step)
    if takes_braces_for_fields(candidate, raised):
        return python_fixes.doubled_braces(candidate, frame_line(raised) or 0)
    if raised.type == "InterfaceError":
        return python_fixes.listed_functions(candidate, frame_line(raised))
    if raised.type == "NameError" and (found := re.search(r"name '(\w+)'", raised.message)) is not None:
        name = found.group(1)
        return (
            module_fixes.missing_import(candidate, name)
            or module_fixes.plain_super(candidate, name)
            or module_fixes.own_attribute(candidate, name)
            or python_fixes.define_names(candidate, [name], problem)
        )
    return module_fixes.of_module(candidate, raised.type, raised.message)


def _of_load_inline(candidate: Candidate, raised: Raised) -> python_fixes.Fix | None:
    """Of a call of load_inline, or of the module that it gives."""
    line = frame_line(raised)
    if (found := NO_ARGUMENT.search(raised.message)) is not None:
        name, meant = found["name"], load_inline_fixes.meant_argument(found["name"])
        step = f"Write {meant}" if meant is not None else f"Leave {name} out"
        changed = load_inline_fixes.argument_renamed(candidate, line, name)
        return python_fixes.rewriting(candidate, changed, step)
    if (found := FLAGS_AS_TEXT.search(raised.message)) is not None:
        changed = load_inline_fixes.flags_listed(candidate, line, found["name"])
        return python_fixes.rewriting(candidate, changed, f"Pass {found['name']} as a list")
    return binding_fixes.call_of_function(candidate, line) if NO_CALL in raised.message else None


def takes_braces_for_fields(candidate: Candidate, raised: Raised) -> bool:
    line = frame_line(raised)
    return (
        raised.type in ("KeyError", "ValueError", "IndexError")
        and line is not None
        and braces.formatting_call(candidate.tree, line) is not None
    )


def undefined_symbol(candidate: Candidate, raised: Raised) -> str | None:
    """The function that an extension calls and nothing defines; its name follows its length in the symbol, or is the
    symbol where the function is declared extern "C"."""
    found = re.search(r"undefined symbol: _Z(\d{1,3})(\w+)", raised.message)
    if found is not None:
        return found.group(2)[: int(found.group(1))]
    of_c = re.search(r"undefined symbol: (?!_Z)(\w+)", raised.message)
    return of_c[1] if of_c is not None and rewrites.declared_at(candidate, of_c[1]) is not None else None


def frame_line(raised: Raised) -> int | None:
    return next((frame.line for frame in reversed(raised.frames) if frame.in_candidate), None)
