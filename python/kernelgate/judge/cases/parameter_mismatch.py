"""A candidate whose parameters have other names or shapes than the reference's: which stands for which, and whether
they hold the same values.

Both modules are made from one random seed, so layers that are made in the same order hold the same values whatever
their names. If they do not, every result is wrong, and the kernel may well be right.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from kernelgate.check.tolerance.numerics import same_bits
from kernelgate.judge.candidate.session import Session
from kernelgate.judge.cases.case_call import DrawnCase
from kernelgate.judge.endings.run_ended import RunEnded
from kernelgate.judge.reference.copies import State
from kernelgate.judge.reference.expected import Expected
from kernelgate.judge.reference.reference import NotAccepted, Reference
from kernelgate.judge.run_context import RunContext
from kernelgate.messages.parcel import BadParcel
from kernelgate.report import one_line

_SHOWN = 4


def choose_assignment(run: RunContext, inputs: list[Any]) -> None:
    """Takes the way of giving a candidate the reference's parameters under which its result is right with other values
    than a fresh module's, which may hide a mistake. If none is, and its own values are no copy of the reference's: its
    own, made from the same seed. Raises RunEnded as the call does."""
    session, reference = run.session, run.reference
    if session.matching != "by assignment":
        session.note_matching()
        return

    def agrees(expected: Expected, state: State) -> bool:
        session.forget()
        session.construct(reference.dtype, state)
        result = session.call(inputs, "calling ModelNew with the reference's parameters", seed=expected.seed)
        return run.comparer.agrees(result.outputs, expected)

    choice = reference.assignment
    try:
        expected = reference.expected(inputs, reference.dtype, "changed")
        for choice.number in range(session.assignments):
            if agrees(expected, "changed"):
                return
        choice.number = 0
        expected = reference.expected(inputs, reference.dtype)
        session.forget()
        session.construct(reference.dtype, "as constructed")
        wanted = reference.state("own")
        folded = bool(_unlike(session.state(), {name: wanted[name] for name in reference.parameter_names}))
        if folded and agrees(expected, "as constructed"):
            choice.number = None
    except NotAccepted:
        choice.number = 0
    finally:
        session.forget()
        session.construct(reference.dtype)
        session.note_matching()


def other_parameters(session: Session, reference: Reference) -> str:
    """What to do about parameters that hold other values than the reference's; "" if they do not, or cannot be
    looked at."""
    if not reference.has_state or session.matching != "no":  # by assignment, every one was tried
        return ""
    try:
        own = session.state()
    except (RunEnded, BadParcel):
        return ""
    wanted = reference.state("own")
    missing = _unlike(own, wanted)
    if not missing:
        return ""
    if own.keys() == wanted.keys():
        return f"Give {missing[0]} the reference's shape, {tuple(wanted[missing[0]].shape)}: it holds other values now"
    return one_line(
        f"Name the parameters as the reference does, {_names(list(wanted))} instead of {_names(sorted(own))}, so that "
        "both can hold the same values: other weights give other results",
        600,
    )


def folded_in_the_constructor(run: RunContext, case: DrawnCase) -> bool:
    """Whether a wrong result is right with the parameters that the candidate's own constructor has made, from the seed
    that the reference's were made from, and these are others than the reference's."""
    session, reference = run.session, run.reference
    own_state = reference.has_state and session.matching == "by name" and case.state == "own"
    if not own_state or not case.expected.has_own_parameters:
        return False
    try:
        session.construct(case.dtype, "as constructed")
        wanted, own = reference.state("own"), session.state_by_reference_names()
        if all(_equal(own[name], wanted[name]) for name in own):
            return False  # right once and wrong once with the same parameters
        result = session.call(case.inputs, "calling ModelNew as it was constructed", seed=case.expected.seed)
        return run.comparer.agrees(result.outputs, case.expected)
    except (RunEnded, BadParcel):
        return False
    finally:
        session.forget()


def _unlike(own: Mapping[str, torch.Tensor], wanted: Mapping[str, torch.Tensor]) -> list[str]:
    return [name for name, right in wanted.items() if not any(_equal(value, right) for value in own.values())]


def _equal(value: torch.Tensor | None, right: torch.Tensor) -> bool:
    return value is None or same_bits(value, right.to(value.dtype))


def _names(names: list[str]) -> str:
    shown = ", ".join(names[:_SHOWN]) or "none"
    return shown + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
