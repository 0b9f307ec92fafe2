"""The verbs that need no run, as text, the same in a shell and in a cell: what there is, and our program for it."""

from __future__ import annotations

from kernelgate.catalogue import Operator, operators
from kernelgate.judge import UsageError
from kernelgate.options import suggestion


def listed() -> str:
    """The operators, one a line: id, magic, and what it computes."""
    found = operators().values()
    ids = max(len(operator.id) for operator in found)
    magics = max(len(operator.magic) for operator in found) + 2
    return "\n".join(f"{o.id:{ids}}  {'%%' + o.magic:{magics}}  {o.summary}" for o in found)


def operator_named(name: str) -> Operator:
    """The operator with this id. Raises UsageError."""
    found = operators().get(name)
    if found is None:
        raise UsageError(f"There is no problem {name!r}", suggestion(name, list(operators())))
    return found


def program_of(name: str) -> str:
    """Our program for an operator. Raises UsageError where there is none."""
    text = operator_named(name).program_text
    if text is None:
        known = ", ".join(o.id for o in operators().values() if o.program_text is not None)
        raise UsageError(f"There is no program for {name} yet", f"Choose one of: {known}")
    return text
