"""A candidate whose parameters have other names or shapes than the reference's: whether they hold the same values.

Both modules are made from one random seed, so layers that are made in the same order hold the same values whatever
their names. Where they do not, every result is wrong, and the kernel may well be right.
"""

from __future__ import annotations

import torch

from kernelgate.check.numerics import same_bits
from kernelgate.judge.candidate_session import Session
from kernelgate.judge.case_call import DrawnCase
from kernelgate.judge.compare import Comparer
from kernelgate.judge.reference import Reference
from kernelgate.judge.run_ended import RunEnded
from kernelgate.messages.parcel import BadParcel
from kernelgate.report import one_line

_SHOWN = 4


def other_parameters(session: Session, reference: Reference) -> str:
    """What to do about parameters that hold other values than the reference's; "" where they do not, or cannot be
    looked at."""
    if not reference.has_state or session.matching == "by name":
        return ""
    try:
        own = session.state()
    except (RunEnded, BadParcel):
        return ""
    wanted = reference.state("own")
    if session.matching == "by order":
        if len({value.shape for value in wanted.values()}) == len(wanted):
            return ""  # the shapes allow only one order
        return one_line(
            f"Name the parameters as the reference does, {_names(list(wanted))} instead of {_names(list(own))}: "
            "they were matched by their order, which may be another one",
            600,
        )
    missing = [name for name, right in wanted.items() if not any(_equal(v, right) for v in own.values())]
    if not missing:
        return ""
    if own.keys() == wanted.keys():
        return f"Give {missing[0]} the reference's shape, {tuple(wanted[missing[0]].shape)}: it holds other values now"
    return one_line(
        f"Name the parameters as the reference does, {_names(list(wanted))} instead of {_names(sorted(own))}, so that "
        "both can hold the same values: other weights give other results",
        600,
    )


def folded_in_the_constructor(
    session: Session, comparer: Comparer, reference: Reference, case: DrawnCase
) -> bool:
    """Whether a wrong result is right with the parameters that the candidate's own constructor has made, from the seed
    that the reference's were made from, and these are others than the reference's."""
    if not session.state_loaded or case.state != "own" or not case.expected.has_own_parameters:
        return False
    try:
        session.construct(case.dtype, "as constructed")
        wanted, own = reference.state("own"), session.state_by_reference_names()
        if all(_equal(own[name], wanted[name]) for name in own):
            return False  # right once and wrong once with the same parameters
        result = session.call(case.inputs, "calling ModelNew as it was constructed", seed=case.expected.seed)
        return comparer.agrees(result.outputs, case.expected)
    except (RunEnded, BadParcel):
        return False
    finally:
        session.forget()


def _equal(value: torch.Tensor | None, right: torch.Tensor) -> bool:
    return value is None or same_bits(value, right.to(value.dtype))


def _names(names: list[str]) -> str:
    shown = ", ".join(names[:_SHOWN]) or "none"
    return shown + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
