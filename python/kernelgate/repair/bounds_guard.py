"""Kernels that look at no bound: a parameter for the number of elements is there, and the kernel does not use it.

In: a candidate. Out: its Python with `if (index >= count) return;` behind such a kernel's index; None where no kernel
is so. Not here: that it reads or writes outside of a tensor (`judge.endings.findings`). The judge proves the change.
"""

from __future__ import annotations

import re

from kernelgate.cuda_source import functions
from kernelgate.program.candidate import Candidate
from kernelgate.repair.launch_care import with_rows

_INDEX = re.compile(
    r"^[ \t]*(?:const\s+)?(?:int|long|size_t|int64_t|unsigned(?:\s+int)?|auto)\s+(?P<name>\w+)"
    r"\s*=[^;]*\bthreadIdx\.x\b[^;]*;[ \t]*$",
    re.MULTILINE,
)
_WHOLE = re.compile(r"\b(?:int|long|size_t|u?int64_t|unsigned)\b")
_COUNT = re.compile(
    r"n|N|(?:.*_)?(?:n|size|count|total|length|len|numel|elements|limit)\d?|num\w*|total\w*|n_\w+",
    re.IGNORECASE,
)


def with_bound(candidate: Candidate) -> str | None:
    """The first kernel whose one unused parameter is a whole number, and that has one index of its threads."""
    for literal in candidate.literals:
        seen = functions.blank(literal.value)
        known = functions.functions(literal.value)
        starts = [*(each.line for each in known[1:]), seen.count("\n") + 2]
        for each, end in zip(known, starts, strict=False):
            if each.kind != "kernel" or not each.defined:
                continue
            rows = seen.split("\n")[each.line - 1 : end - 1]
            body = "\n".join(rows).partition("{")[2]
            unused = [one for one in each.parameters if one.name and not re.search(rf"\b{one.name}\b", body)]
            index = list(_INDEX.finditer("\n".join(rows)))
            if len(unused) != 1 or len(index) != 1 or not _COUNT.fullmatch(unused[0].name):
                continue
            if not _WHOLE.search(unused[0].type) or "*" in unused[0].type:
                continue
            line = each.line + "\n".join(rows)[: index[0].end()].count("\n")
            indent = re.match(r"\s*", seen.split("\n")[line - 1])
            row = f"{indent.group() if indent else ''}if ({index[0]['name']} >= {unused[0].name}) return;"
            return with_rows(candidate, literal.line_of(line), [row], "").python
    return None
