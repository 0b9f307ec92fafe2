"""New values for every timed call: before each, outside of its time, a small piece of an input is overwritten.

In: a tensor, the same in worker and judge, and a seed. Out: the same values in both, so that the judge knows the
inputs of each call without anything being sent. A result that a candidate kept from an earlier call is then wrong.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import torch

_PIECE = 16384  # elements: soon written, too many to be guessed
_PIECES = 8


class Fresh:
    """Overwrites pieces of the first dense floating tensor among the inputs; does nothing where there is none."""

    def __init__(self, inputs: Sequence[Any], seed: int) -> None:
        found = (v for v in inputs if isinstance(v, torch.Tensor) and v.is_floating_point())
        self._tensor = next((v for v in found if v.is_contiguous() and v.numel()), None)
        self._random = random.Random(seed)
        if self._tensor is None:
            return
        self._flat = self._tensor.detach().view(-1)
        self._size = min(_PIECE, self._flat.numel())
        generator = torch.Generator(device=self._flat.device).manual_seed(seed)
        shape = (_PIECES, self._size)
        pieces = torch.randn(shape, generator=generator, device=self._flat.device)
        self._pieces = pieces.to(self._flat.dtype)

    def next(self) -> None:
        """New values for the next call."""
        if self._tensor is None:
            return
        start = self._random.randrange(self._flat.numel() - self._size + 1)
        piece = self._pieces[self._random.randrange(_PIECES)]
        self._flat[start : start + self._size].copy_(piece)
