"""New values for every timed call: before each, outside of its time, rows of its inputs are overwritten with others.

In: the inputs, the same in worker and judge, and a seed. Out: the same values in both, so that the judge knows the
inputs of each call without anything being sent. They are values that the inputs had before, whole rows of them, so that
a probability stays one, and a label a label. A result that a candidate kept from an earlier call is then wrong.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import torch

_ELEMENTS = 1 << 18  # of a tensor, so soon written; and too many rows of a product to be computed by themselves
_MOST_ROWS = 4096
_WIDTH = 64  # of a vector's rows, and the fewest rows of integers
_WIDEST = 1 << 20
_SETS = 8
_MOST_TENSORS = 8


class Fresh:
    """Overwrites rows of the dense floating tensors among the inputs; if there is none, of the integer ones with
    rows, as of token ids. Does nothing if there is none either."""

    def __init__(self, tensors: Sequence[torch.Tensor], seed: int) -> None:
        """`tensors`: all of the inputs."""
        self._random = random.Random(seed)
        # `data`, as a write to what is detached would count in the version of the tensor that the program sees.
        dense = [v.data for v in tensors if v.is_contiguous() and v.numel() > 1]
        floating = [v for v in dense if v.is_floating_point()]
        ids = [v for v in dense if _has_many_rows(v) and not v.is_floating_point() and not v.is_complex()]
        self._rows = [_Rows(v, self._random.getrandbits(48)) for v in (floating or ids)[:_MOST_TENSORS]]

    def next(self) -> None:
        """New values for the next call."""
        for rows in self._rows:
            rows.write(self._random)


def _has_many_rows(tensor: torch.Tensor) -> bool:
    """Few rows of integers may be of different ranges, as users are above items."""
    return tensor.dim() > 1 and bool(math.prod(tensor.shape[:-1]) >= _WIDTH)


class _Rows:
    """Some rows of one tensor, and places to put them."""

    def __init__(self, tensor: torch.Tensor, seed: int) -> None:
        generator = torch.Generator(device=tensor.device).manual_seed(seed)
        width = tensor.shape[-1] if tensor.dim() > 1 else tensor.numel()
        if tensor.numel() // width < 2:
            width = min(_WIDTH, max(1, tensor.numel() // 2))
        elif width > _WIDEST:
            width = _ELEMENTS  # a part of a row, or the copies would take gigabytes
        count = tensor.numel() // width
        self._tensor = tensor.view(-1)[: count * width].view(count, width)
        few = min(count, _MOST_ROWS, max(1, _ELEMENTS // width))

        def drawn() -> torch.Tensor:
            return torch.randint(count, (few,), generator=generator, device=tensor.device)

        self._values = [self._tensor.index_select(0, drawn()) for _ in range(_SETS)]
        self._places = [drawn().unique() for _ in range(_SETS)]

    def write(self, draw: random.Random) -> None:
        places, values = draw.choice(self._places), draw.choice(self._values)
        self._tensor.index_copy_(0, places, values[: len(places)])
