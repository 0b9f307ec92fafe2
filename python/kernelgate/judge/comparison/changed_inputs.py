"""What a call did to the tensors that it was given, and to the buffers of its module.

In: tensors as they were, or as the reference's call leaves them, and a `Result`. Out: words, and whether they agree.
Not here: the result itself (`judge.comparison.compare`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from kernelgate.backend.memory import storage_bytes
from kernelgate.check.nesting import tensors_in
from kernelgate.judge.candidate.call_result import Result
from kernelgate.report import one_line

_STATISTICS_UNITS = 256.0
_NARROW_UNITS = 4.0
_TF32_EPS = 2.0**-10


def changed_words(
    given: Sequence[Any], result: Result, right: Sequence[torch.Tensor | None] | None = None
) -> str:
    """What a call did to the tensors that it was given, in words; "" where they are as they were, or as the reference's
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
