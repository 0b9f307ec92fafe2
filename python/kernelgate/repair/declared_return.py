"""A function that is declared with another result than its definition has. It links, since a function's symbol does not
name its result, and what Python gets is undefined: mostly a crash, or None.

In: a candidate. Out: where, and the fix. The judge proves a fix before it is offered.
"""

from __future__ import annotations

from dataclasses import dataclass

from kernelgate.cuda_source import functions
from kernelgate.program.candidate import Candidate
from kernelgate.repair.python_fixes import Fix, matching_declaration


@dataclass(frozen=True)
class OtherReturn:
    """`declared`, `returns`: the two types, as they are written. `row`: of the candidate's Python, the declaration."""

    function: str
    declared: str
    returns: str
    row: int
    fix: Fix | None


def other_return(candidate: Candidate) -> OtherReturn | None:
    """The first such function."""
    known = [
        (literal, each) for literal in candidate.literals for each in functions.functions(literal.value)
    ]
    defined = {each.name: each for _literal, each in known if each.defined and each.kind == "host"}
    for literal, each in known:
        other = defined.get(each.name)
        if each.defined or other is None or "auto" in (each.returns, other.returns):
            continue
        if _types(each) == _types(other) and _plain(each.returns) != _plain(other.returns):
            row = literal.line_of(each.line)
            fix = matching_declaration(candidate, each.name)
            return OtherReturn(each.name, each.returns, other.returns, row, fix)
    return None


def _types(function: functions.Function) -> list[str]:
    return [_plain(one.type) for one in function.parameters]


def _plain(type_: str) -> str:
    """The same for at::Tensor, torch::Tensor and Tensor."""
    return type_.replace("torch::", "").replace("at::", "").replace("::", "").replace(" ", "")
