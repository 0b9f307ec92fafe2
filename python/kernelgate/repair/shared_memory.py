"""Launches with more dynamic shared memory than a kernel has without asking: the request, written before them.

In: a candidate. Out: its Python with a cudaFuncSetAttribute above each such launch, or None where no launch needs one.
Not here: that a launch has failed for it (`repair.exception_advice`, `judge.endings.failures`). The
judge proves the change.
"""

from __future__ import annotations

import re

from kernelgate.cuda_source import functions
from kernelgate.program.candidate import Candidate

_LAUNCHES = re.compile(r"^(?P<indent>[ \t]*)(?P<kernel>[A-Za-z_][\w:]*(?:<[^;]*>)?)[ \t]*<<<")
_ALLOWED = "cudaFuncAttributeMaxDynamicSharedMemorySize"


def with_allowed_memory(candidate: Candidate) -> str | None:
    """Every launch that passes an amount of dynamic shared memory, with its kernel allowed as much."""
    rows = candidate.python.split("\n")
    above: dict[int, str] = {}
    for literal in candidate.literals:
        for launch in functions.launches(literal.value):
            row = literal.line_of(launch.line)
            found = _LAUNCHES.match(rows[row - 1])
            amount = launch.configuration[2] if len(launch.configuration) > 2 else "0"
            if found is None or amount == "0" or not _begins(rows[row - 2]):
                continue
            request = f"cudaFuncSetAttribute({found['kernel']}, {_ALLOWED}, {amount});"
            if request not in literal.value:
                above[row] = f"{found['indent']}{request}"
    for row, request in sorted(above.items(), reverse=True):
        rows.insert(row - 1, request)
    return "\n".join(rows) if above else None


def _begins(row: str) -> bool:
    """Whether a statement begins below a row."""
    code = row.partition("//")[0].rstrip()
    return not code or code.endswith((";", "{", "}"))
