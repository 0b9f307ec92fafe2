"""Whether a timed backward pass gives the gradient of the inputs that it was called with.

In: the gradients that a block kept, and the inputs of that call. Out: whether they are about the reference's. The gate
"gradient" has held the candidate's to the accuracy of autograd's. Here one of other inputs is to be found, as of a
program that keeps its gradient after some hundred calls: such a one is off by about its own size.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from kernelgate.check.autograd import is_floating
from kernelgate.check.tolerance.rounding import moved_by_rounding
from kernelgate.judge.reference.copies import each
from kernelgate.judge.reference.reference import Reference
from kernelgate.judge.timing.plausibility import repeatable

_OFF = 0.25
_ILL_CONDITIONED = 0.05
_SEED = 0x6772


def gradient_agrees(
    found: Sequence[torch.Tensor | None], inputs: Sequence[Any], reference: Reference
) -> bool | None:
    """Whether the gradients of the inputs are off by less than a quarter of their norm. None where that says nothing:
    there are none, they depend on the calls before, rounding alone moves them by much, as it does one that cancels, or
    memory runs out. `found`: those of the floating inputs and then of the parameters, None for one that is missing."""
    try:
        if repeatable(inputs, reference) is None:
            return None
        wanted = _gradients(reference, inputs)[: sum(map(is_floating, inputs))]
        given = [one for one in wanted if one is not None]
        if not given or not all(bool(one.any()) for one in given):
            return None
        if len(found) < len(wanted):
            return False
        if all(_off(got, one) <= _OFF for got, one in zip(found, wanted, strict=False) if one is not None):
            return True
        move = moved_by_rounding(reference.dtype, torch.Generator(device=reference.device).manual_seed(_SEED))
        near = _gradients(reference, each(inputs, move))
        conditioned = all(
            _off(other, one) <= _ILL_CONDITIONED for other, one in zip(near, wanted, strict=False) if one is not None
        )
        return False if conditioned else None
    except Exception:  # whatever a reference raises where it is to be differentiated: the check has said so
        return None


def _gradients(reference: Reference, inputs: Sequence[Any]) -> list[torch.Tensor | None]:
    upstream = reference.upstream(inputs)
    if upstream is None:
        return []
    return reference.gradients(inputs, upstream, reference.dtype, oracle=False)


def _off(got: torch.Tensor | None, right: torch.Tensor) -> float:
    """The norm of the difference, as a part of that of `right`, which is not zero."""
    if got is None or got.shape != right.shape:
        return float("inf")
    dtype = torch.promote_types(right.dtype, torch.float32)
    off, whole = (float(torch.linalg.vector_norm(value, dtype=dtype)) for value in (got - right, right))
    return off / whole
