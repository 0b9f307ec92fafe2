"""Mutants: the results of programs with one well-known mistake each, which a check must catch.

In: the reference's results. Out: the mutants' results. A check that misses many mutants says little about a candidate
that passes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from kernelgate.check.nesting import is_floating

_TILE = 256  # elements: what one block of threads of a usual size writes


def mutants(
    inputs: Sequence[Any], right: torch.Tensor, previous: torch.Tensor | None
) -> Iterator[tuple[str, Callable[[], torch.Tensor]]]:
    """Names, and what makes the wrong results, of the shape, dtype and device of `right`, which are large."""
    flat = right.numel()
    tensors = [v for v in inputs if isinstance(v, torch.Tensor)]
    if not flat:
        return
    if tensors and tensors[0].shape == right.shape and tensors[0].dtype == right.dtype:
        yield "the input itself", lambda: tensors[0]
    yield "zeros", lambda: torch.zeros_like(right)
    if previous is not None and previous.shape == right.shape:
        yield "the previous result", lambda: previous
    yield "one element wrong", lambda: _spoilt(right, flat // 2, 1)
    if flat > _TILE:
        yield "one tile missing", lambda: _spoilt(right, flat // 2, min(_TILE, flat - flat // 2))
    if right.dim() >= 2:
        row = flat // right.shape[0]
        yield "the last row missing", lambda: _spoilt(right, flat - row, row)
    if right.is_floating_point():
        yield "the sign flipped", lambda: -right if is_floating(right) else -right.float()
    if right.dim() == 2 and right.shape[0] == right.shape[1]:
        yield "transposed", lambda: right.t().contiguous()


def _spoilt(right: torch.Tensor, start: int, count: int) -> torch.Tensor:
    """A copy in which some elements in row-major order are 1.5 times their value, and 1 where that changes nothing."""
    wrong = right.contiguous().clone()
    place = wrong.view(-1)[start : start + count]
    part = place.float() if place.is_floating_point() and not is_floating(place) else place
    exact = not part.is_floating_point() and not part.is_complex()
    more = part + 1 if exact else part * 1.5
    place.copy_(torch.where((more != part) & ~more.isnan(), more, torch.ones_like(part)))
    return wrong


class Tally:
    """Which mistakes exist for a problem, and which of them its check has caught."""

    def __init__(self) -> None:
        self._caught: dict[str, bool] = {}

    def open(self, name: str) -> bool:
        """Whether it is worth showing this mistake to the check: it has not been caught yet."""
        return not self._caught.get(name, False)

    def note(self, name: str, *, differs: bool, caught: bool) -> None:
        """A mistake that changes nothing in this case does not count here, such as ReLU's if nothing is negative."""
        if differs:
            self._caught[name] = self._caught.get(name, False) or caught

    @property
    def total(self) -> int:
        return len(self._caught)

    @property
    def slipped(self) -> list[str]:
        return [name for name, caught in self._caught.items() if not caught]
