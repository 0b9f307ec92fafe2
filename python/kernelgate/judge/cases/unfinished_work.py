"""Whether a wrong result is one that was read too early: right as soon as the whole device has been waited for.

In: a case whose result is wrong. Out: yes or no, of some more calls. Not here: the gate that looks for such work where
the values are right by luck (`judge.gates.device`).
"""

from __future__ import annotations

from typing import Any

from kernelgate.judge.candidate.session import Session
from kernelgate.judge.cases.case_call import DrawnCase
from kernelgate.judge.comparison.compare import Comparer
from kernelgate.judge.endings.run_ended import RunEnded
from kernelgate.messages.parcel import BadParcel

# Whether each call waits for the whole device, or is one that may be wrong for want of it. The first one ends it for
# most wrong programs. A program that is wrong at every second, third or fourth call, whatever is waited for, is wrong
# at one that waits, or right at one that does not.
_WAITS = (True, True, False, True, False, True, True, True, True)


def is_read_too_early(session: Session, comparer: Comparer, case: DrawnCase) -> bool:
    """Whether every call is right that the whole device is waited for, and none of the others."""
    try:
        session.construct(case.dtype, case.state)
        return all(
            _is_right(session, comparer, case, "waited for") if waits else _is_wrong(session, comparer, case)
            for waits in _WAITS
        )
    except (RunEnded, BadParcel):
        return False


def _is_wrong(session: Session, comparer: Comparer, case: DrawnCase) -> bool:
    """In a plain call, or, where that was right by luck, with inputs that arrive late."""
    return not all(_is_right(session, comparer, case, manner) for manner in ("plain", "late inputs"))


def _is_right(session: Session, comparer: Comparer, case: DrawnCase, manner: Any) -> bool:
    doing = "calling ModelNew again: its result is wrong"
    result = session.call(case.inputs, doing, manner=manner, seed=case.expected.seed)
    return comparer.agrees(result.outputs, case.expected)
