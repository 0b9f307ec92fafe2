"""Other values for an argument of an operator: those that people mix up.

In: an operator's arguments. Out: for each other value of one of them, words, and the number of the argument.
Not here: calling the operator with it (`check.other_operators`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch

_EPSILONS = (1e-3, 1e-5, 1e-6, 1e-8, 1e-12)
_WORDS = {
    "is_causal": ("with a causal mask", "without a causal mask"),
    "count_include_pad": ("with padding counted in the mean", "with padding left out of the mean"),
    "align_corners": ("with align_corners=True", "with align_corners=False"),
    "largest": ("with the largest in place of the smallest", "with the smallest in place of the largest"),
    "descending": ("in descending order", "in ascending order"),
    "log_target": ("with a target in logarithms", "with a target not in logarithms"),
}
"""Of arguments that are True or False: with the one, with the other."""


def other_values(
    argument: str, number: int, words: str, args: Sequence[Any]
) -> Iterator[tuple[str, int, Any]]:
    """Words, to stand after "the values are what the reference gives", the number of the argument, and its other
    value. `words`: the operator's name."""
    value, first = args[number], args[0]
    if argument in ("dim", "dims"):
        yield from _other_dims(number, words, value, first)
    elif argument == "training" and value in (True, False) and _has_statistics(number, args):
        statistics = "the running statistics" if value else "the batch's statistics"
        yield f"with {words} by {statistics}", number, not value
    elif argument in _WORDS and value in (True, False):
        yield _WORDS[argument][bool(value)], number, not value
    elif argument == "eps" and isinstance(value, float):
        for other in _EPSILONS:
            if other != value:
                yield f"with {other:g} in place of {value:g} as the epsilon of its {words}", number, other
    elif argument == "group" and isinstance(value, int):
        for other in (1, 2 * value, value // 2):
            if other not in (value, 0):
                yield f"with {other} in place of {value} groups in its {words}", number, other
    elif argument == "diagonal" and isinstance(value, int):
        for other in (value - 1, value + 1):
            yield f"with {words} at diagonal {other} in place of {value}", number, other
    elif argument == "shifts" and isinstance(value, list) and any(value):
        yield f"with {words} the other way", number, [-by for by in value]


def _has_statistics(number: int, args: Sequence[Any]) -> bool:
    """Whether it is given a running mean and variance, without which PyTorch ends the process that is to use them."""
    return number == 5 and all(isinstance(value, torch.Tensor) for value in args[3:5])


def _other_dims(number: int, words: str, value: Any, first: Any) -> Iterator[tuple[str, int, Any]]:
    rank = first.dim() if isinstance(first, torch.Tensor) else 0
    single = value[0] if isinstance(value, list) and len(value) == 1 else value
    if type(single) is not int or rank < 2:
        return
    own = single % rank
    for dim in range(rank):
        if dim != own:
            put: Any = [dim] if isinstance(value, list) else dim
            yield f"with {words} along dimension {dim} in place of {own}", number, put
