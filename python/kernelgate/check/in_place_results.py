"""What a module that returns nothing computes: the tensors that it writes to.

In: a module, and a call of it. Out: those of the tensors that it was given that the call has changed, in the place of
None. A kernel that updates a cache or a residual in place is used so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from kernelgate.check.nesting import tensors_in


class Written:
    """Which of the tensors that a module is given a call writes to. Made before the call, asked after it. Tensors in
    lists and dictionaries count."""

    def __init__(self, inputs: Sequence[Any]) -> None:
        self._tensors = tensors_in(list(inputs))
        self._versions = [one._version for one in self._tensors]

    def numbers(self) -> tuple[int, ...]:
        """Of the tensors, after the call, as PyTorch counts writes."""
        pairs = enumerate(zip(self._tensors, self._versions, strict=True))
        return tuple(number for number, (one, version) in pairs if one._version != version)


class WrittenAsResult:
    """A forward hook: a module that returns nothing gives the inputs of these numbers. It can be copied and pickled, as
    the module can."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self.numbers = tuple(numbers)

    def __call__(self, module: torch.nn.Module | None, inputs: Sequence[Any], result: Any) -> Any:
        return in_place_result(result, inputs, self.numbers)


def in_place_result(result: Any, inputs: Sequence[Any], numbers: Sequence[int]) -> Any:
    """The tensors of these numbers among the inputs, in place of what a call returns; without numbers, what it
    returns."""
    if not numbers:
        return result
    tensors = tensors_in(list(inputs))
    return [tensors[number] for number in numbers]
