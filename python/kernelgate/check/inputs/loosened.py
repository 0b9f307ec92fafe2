"""Masks and whole numbers as random draws hardly ever have them: repeated, negative, and with bits that no draw has.

In: an input, and its kind. Out: its kind without what chance or a constant gave it, and values of that kind.
Not here: whether the reference takes them (`judge.case_inputs`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import torch

from kernelgate.check.inputs.kinds import PLAIN, Kind, counts_up
from kernelgate.check.nesting import is_floating
from kernelgate.check.tolerance.operator_kinds import INDEXING, ONE_STAYS

_SOME = 4
_LEAST = 8
_PAIRS = 24  # of equal numbers, in three draws that did not keep them apart


def is_whole(one: torch.Tensor) -> bool:
    return not one.is_floating_point() and not one.is_complex() and one.dtype != torch.bool


def may_repeat(one: torch.Tensor, kind: Kind) -> bool:
    """Whether any of the numbers could stand at several places, and none does in so few of so large a range."""
    if not is_whole(one) or not one.dim() or one.numel() < _LEAST:
        return False
    if kind.rows is not None or kind.matrix is not None or kind.constant or kind.order not in (None, "distinct"):
        return False
    pairs = 3 * one.numel() * one.shape[-1] / 2 / (int(one.max()) - int(one.min()) + 1)
    return kind.order is None or pairs < _PAIRS


def _repeated(value: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Whole numbers from four of each row, of which the first two are equal; of short rows, four of the rows."""
    along = value.dim() - 1 if value.shape[-1] > _SOME else 0
    shape = value.shape if along else (value.shape[0],)
    at = torch.randint(_SOME, shape, generator=generator, device=value.device)
    at.narrow(along, 1, 1).copy_(at.narrow(along, 0, 1))
    size = value.shape[along]
    if not along:
        return value[torch.randint(size, (_SOME,), generator=generator, device=value.device)[at]]
    four = torch.randint(size, (*shape[:-1], _SOME), generator=generator, device=value.device)
    return value.gather(-1, four.gather(-1, at))


def freed_kind(own: torch.Tensor, kind: Kind, operators: Iterable[str] | None) -> Kind:
    """Of an input whose structure is left out. Each place comes once: PyTorch writes to one that comes twice in any
    order. Whole numbers that may index something keep their sign. `operators`: of the reference, None for any."""
    if own.is_floating_point():
        return PLAIN if is_floating(own) else kind
    if counts_up(own):
        return Kind(plain=False, order="permutation", repeats=True)
    if kind.constant and own.numel() and not own.is_complex() and bool(((own == 0) | (own == 1)).all()):
        return replace(kind, freed="bits")
    stays = operators is None or not ONE_STAYS.isdisjoint(operators)
    if is_whole(own) and kind.order in ("distinct", "permutation") and not stays:
        return replace(kind, order=None, freed="repeats")
    signed = is_whole(own) and own.dtype.is_signed and kind == Kind(plain=False, may_repeat=kind.may_repeat)
    indexes = operators is None or any(part in name for name in operators for part in INDEXING)
    return replace(kind, freed="signs") if signed and not indexes else kind


def loosened(value: torch.Tensor, kind: Kind, generator: torch.Generator, *, repeats: bool, tiny: bool) -> torch.Tensor:
    """Numbers that repeat, if the case has such; a mask of half of the bits, at least one of each row; whole numbers,
    half of them with the other sign, or repeated; in a case of tiny numbers those of a limited range too. Any other
    input as it is."""
    if tiny and kind.limited:
        return value * 2.0**-30
    if (repeats and kind.may_repeat) or kind.freed == "repeats":
        return _repeated(value, generator)
    if kind.freed is None:
        return value
    half = torch.rand(value.shape, generator=generator, device=value.device) < 0.5
    if kind.freed == "signs":
        return torch.where(half, -value, value)
    if half.dim():
        half[..., 0] |= ~half.any(-1)
    return half.to(value.dtype)
