"""The programs of `programs`, and whether two results of one are the same: for the tests, and for a real device."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

PROGRAMS = {path.stem: path for path in sorted((Path(__file__).parent / "programs").glob("*.py"))}
TOLERANCE = {torch.float64: 1e-12, torch.float32: 2e-6, torch.float16: 2e-3, torch.bfloat16: 1.6e-2}
# Products whose operands are rounded to fewer bits; the reference does not round them.
ROUNDED = {"wmma_tf32": 2e-3, "mma_tf32_ptx": 2e-3}


def tensors(result: Any) -> list[torch.Tensor]:
    """A result's tensors, on the CPU."""
    several = result if isinstance(result, (list, tuple)) else [result]
    return [tensor.detach().cpu() for tensor in several]


def differences(name: str, found: list[torch.Tensor], expected: list[torch.Tensor]) -> list[str]:
    """In words, of the program `name`; of floats, beyond what another order of a sum explains."""
    wrong = [] if len(found) == len(expected) else [f"{len(found)} results instead of {len(expected)}"]
    for i, (ours, theirs) in enumerate(zip(found, expected, strict=False)):
        if (ours.shape, ours.dtype) != (theirs.shape, theirs.dtype):
            wrong.append(f"result {i} is {ours.dtype} {tuple(ours.shape)}")
            continue
        if not ours.dtype.is_floating_point:
            wrong += [] if torch.equal(ours, theirs) else [f"result {i} is not equal"]
            continue
        scale = theirs.double().abs().max().clamp(min=1.0)
        error = (ours.double() - theirs.double()).abs().max() / scale
        if not error <= ROUNDED.get(name, TOLERANCE[ours.dtype]):  # NaN is no agreement
            wrong.append(f"result {i} is off by {error.item():.3g} of the largest value")
    return wrong
