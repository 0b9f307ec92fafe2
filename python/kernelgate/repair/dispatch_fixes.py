"""Certain fixes of AT_DISPATCH: a type that its list lacks, and a kernel that takes only one type of the list.

In: a candidate, and what PyTorch or a compiler says. Out: its Python with the change, or None where the text does not
show it. Not here: a dispatch on something that is no type (`repair.known_errors`). The judge proves the change.
"""

from __future__ import annotations

import re

from kernelgate.cuda_source import functions
from kernelgate.program.candidate import Candidate
from kernelgate.repair import rewrites

_WITH_BOTH = "AT_DISPATCH_{}_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, "
_MACRO = re.compile(r"\bAT_DISPATCH_(?P<kind>FLOATING|ALL)_TYPES(?P<half>_AND_HALF)?\s*\([^\S\n]*")
_INTEGERS = ("Byte", "Char", "Short", "Int", "Long")


def with_type(candidate: Candidate, name: str, missing: str) -> tuple[str, str] | None:
    """The dispatch that calls itself `name` with `missing` in its list, by PyTorch's name: Half; and that list's
    macro."""
    for literal in candidate.literals:
        for found in _MACRO.finditer(literal.value):
            if f'"{name}"' not in literal.value[found.end() :].partition(";")[0]:
                continue
            new = _list_with(missing, found["kind"], bool(found["half"]))
            row = candidate.source_line(literal.value, functions.line_at(literal.value, found.start()))
            if new is None or row is None:
                return None
            changed = rewrites.replaced_in_row(candidate, row, re.escape(found.group()), new)
            return (changed, new.partition("(")[0]) if changed is not None else None
    return None


def _list_with(missing: str, kind: str, half: bool) -> str | None:
    if missing == "Half" and not half:
        return "AT_DISPATCH_FLOATING_TYPES_AND_HALF(" if kind == "FLOATING" else _WITH_BOTH.format(kind)
    if missing == "BFloat16":
        return _WITH_BOTH.format(kind)
    return "AT_DISPATCH_ALL_TYPES(" if missing in _INTEGERS and kind == "FLOATING" and not half else None


def kernel_of_any_type(candidate: Candidate, source: str, kernel: str, type_: str) -> str | None:
    """A kernel that takes `type_` as a template of scalar_t, and its launch with it."""
    found = [each for each in functions.functions(source) if each.name == kernel and each.kind == "kernel"]
    if len(found) != 1 or not found[0].defined or found[0].hidden:
        return None
    seen = functions.blank(source)
    begin = seen.index("__global__", sum(len(row) + 1 for row in seen.split("\n")[: found[0].line - 1]))
    opening = seen.index("{", begin)
    end = functions.closing(seen, opening)
    text = source[begin:end]
    if "template" in seen[max(0, begin - 40) : begin] or candidate.python.count(text) != 1:
        return None
    any_type = re.sub(rf"\b{type_}\b", "scalar_t", text)
    changed = candidate.python.replace(text, f"template <typename scalar_t>\n{any_type}")
    launched = re.sub(rf"\b{kernel}(?=\s*<<<)", f"{kernel}<scalar_t>", changed)
    return launched if launched != changed else None
