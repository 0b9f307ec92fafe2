"""What a call leaves in a module's buffers, beside what the reference's call leaves there.

In: both after one call. Out: words for what differs. It matters to what reads a buffer later, and decides nothing about
the call itself.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch

from kernelgate.judge.comparison.changed_inputs import near_enough
from kernelgate.judge.reference.expected import Expected
from kernelgate.judge.reference.reference import Reference

_OF_ONE_RATIO = 1e-3
_ROUNDING = 1e-5
_OF_A_COUNT = 0.05


def other_state(state: Mapping[str, torch.Tensor], expected: Expected, reference: Reference) -> str:
    """The first buffer that is not as the reference's, in words, or "". `state`: the candidate's, by the reference's
    names."""
    in_tf32 = any(grade.bounds.in_tf32 for grade in expected.grades if grade is not None)
    for name, right in expected.state_after.items():
        got = state.get(name)
        if got is None:
            return f"it has no {name}, which the reference's call updates"
        form = got.shape == right.shape and got.dtype == right.dtype
        if not form or not (near_enough(got, right) or (in_tf32 and near_enough(got, right, in_tf32=True))):
            if form and (count := _undivided(name, got, right, reference)):
                return f"{name} holds the variance divided by n, {count:,}, and the reference's divided by n - 1"
            return f"{name} holds other values after the call than the reference's"
    return ""


def _undivided(name: str, got: torch.Tensor, right: torch.Tensor, reference: Reference) -> int:
    """The n of a batch norm whose running variance is off by the factor n / (n - 1) alone; 0 for any other."""
    owner, _, buffer = name.rpartition(".")
    norm = reference.module(reference.dtype).get_submodule(owner)
    if buffer != "running_var" or not isinstance(norm, torch.nn.modules.batchnorm._BatchNorm):
        return 0
    assert norm.running_var is not None
    momentum = 1.0 if norm.momentum is None else norm.momentum
    kept = (1 - momentum) * norm.running_var.double()
    ratio = (right.double() - kept) / (got.double() - kept)
    usual = float(ratio.median())
    if not usual > 1 or bool((ratio - usual).abs().max() > _OF_ONE_RATIO * (usual - 1) + _ROUNDING):
        return 0
    count = usual / (usual - 1)
    return round(count) if abs(count - round(count)) <= max(_OF_A_COUNT, _OF_ONE_RATIO * count) else 0
