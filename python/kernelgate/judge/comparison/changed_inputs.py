"""What a call leaves behind beside its result: in its inputs, and in the buffers of its module.

In: a call's result, and what the reference leaves. Out: words for what differs, "" for nothing. Not here: the result
itself (`judge.comparison.compare`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from kernelgate.backend.memory import storage_bytes
from kernelgate.check.nesting import tensors_in
from kernelgate.judge.candidate.model_in_worker import Result
from kernelgate.judge.reference.expected import Expected
from kernelgate.judge.reference.reference import Reference
from kernelgate.report import one_line

_STATISTICS_UNITS = 256.0
_NARROW_UNITS = 4.0
_TF32_EPS = 2.0**-10


def changed_words(
    given: Sequence[Any], result: Result, right: Sequence[torch.Tensor | None] | None = None
) -> str:
    """What a call did to the tensors that it was given, in words; "" if they are as they were, or as the reference's
    call leaves them, `right`."""
    if right is not None:
        same = same_elements(given, right, result.inputs)
        return "" if same else "a tensor holds other values than after the reference's call"
    if result.answer.inputs_changed:
        return one_line(result.answer.inputs_changed[0], 300)
    same = same_memory(given, result.inputs)
    return "" if same else "the caller's tensor holds other values after the call"


def same_memory(inputs: Sequence[Any], after: Sequence[Any]) -> bool:
    """Whether the whole memory of the tensors among the inputs, also between their elements, is as it comes back."""
    tensors = tensors_in(list(inputs))
    return len(tensors) == len(after) and all(
        isinstance(now, torch.Tensor) and _same_bytes(storage_bytes(then), now)
        for then, now in zip(tensors, after, strict=True)
    )


def _same_bytes(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Of two tensors of bytes. A GPU compares larger elements in half the time."""
    if one.numel() != other.numel():
        return False
    if all(data.numel() % 4 == data.storage_offset() % 4 == 0 for data in (one, other)):
        one, other = one.view(torch.int32), other.view(torch.int32)
    return bool(torch.equal(one, other))


def same_elements(
    inputs: Sequence[Any], right: Sequence[torch.Tensor | None], after: Sequence[torch.Tensor]
) -> bool:
    """Whether the tensors among the inputs hold what the reference's call leaves in them, `right`; None for one that is
    not asked about. after: their memory, as it comes back."""
    tensors = tensors_in(list(inputs))
    return len(tensors) == len(right) == len(after) and all(
        now.numel() == storage_bytes(place).numel()
        and (then is None or near_enough(_seen_as(now, place), then))
        for place, then, now in zip(tensors, right, after, strict=True)
    )


def _seen_as(memory: torch.Tensor, place: torch.Tensor) -> torch.Tensor:
    elements = memory.contiguous().view(place.dtype)
    return elements.as_strided(place.shape, place.stride(), place.storage_offset())


def near_enough(got: torch.Tensor, right: torch.Tensor, *, in_tf32: bool = False) -> bool:
    """Statistics are means of many elements: they may differ by rounding, relative to the largest. `in_tf32`: the
    reference's are of products in TF32, and a program may be more accurate."""
    if not right.is_floating_point():
        return bool(torch.equal(got, right))
    largest = float(right.abs().nan_to_num(0.0, 0.0, 0.0).max()) if right.numel() else 0.0
    eps, single = torch.finfo(right.dtype).eps, torch.finfo(torch.float32).eps
    summed = min(eps, single)  # PyTorch, and any careful kernel, adds up a narrow dtype in float32
    slack = max(_STATISTICS_UNITS * summed / 2, _NARROW_UNITS * eps, _TF32_EPS if in_tf32 else 0.0) * largest
    without = ~got.isfinite() & ~right.isfinite()
    return bool(((got == right) | ((got - right).abs() <= slack) | without).all())


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
            if form and _undivided(name, got, right, reference):
                return f"{name} holds the variance divided by n, and the reference's divided by n - 1"
            return f"{name} holds other values after the call than the reference's"
    return ""


def _undivided(name: str, got: torch.Tensor, right: torch.Tensor, reference: Reference) -> bool:
    """Whether it is a batch norm's running variance, and off by the factor n / (n - 1) alone, for a whole n. Rounding
    hides the last digits of n."""
    owner, _, buffer = name.rpartition(".")
    norm = reference.module(reference.dtype).get_submodule(owner)
    if buffer != "running_var" or not isinstance(norm, torch.nn.modules.batchnorm._BatchNorm):
        return False
    assert norm.running_var is not None
    momentum = 1.0 if norm.momentum is None else norm.momentum
    kept = (1 - momentum) * norm.running_var.double()
    wanted, given = right.double() - kept, got.double() - kept
    usual = float((wanted * given).sum() / (given * given).sum())
    # What is kept from before may be far larger, and both are rounded with it.
    rounded = torch.finfo(right.dtype).eps * right.double().abs()
    if not usual > 1 or bool(
        ((wanted - usual * given).abs() > (_OF_ONE_RATIO * (usual - 1) + _ROUNDING) * given.abs() + rounded).any()
    ):
        return False
    count = usual / (usual - 1)
    return abs(count - round(count)) <= max(_OF_A_COUNT, _OF_ONE_RATIO * count)
