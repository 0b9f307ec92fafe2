"""Other values for the Python arguments of a reference: those beside each, which its inputs never show.

In: the arguments of a constructor or of a call, and the reference's text. Out: lists of them in which one value alone
differs. Not here: which of these the reference takes, and which change its result (`judge.gates.arguments`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator, Sequence
from typing import Any

import torch

_SMALL = 16
"""A number up to this may be an order, a dimension or a count also if some tensor has such a size."""
_LARGEST = 1 << 20
_OF_PYTORCH = (
    ("none", "mean", "sum"),
    ("constant", "zeros", "reflect", "replicate", "circular"),
    ("relu", "tanh", "sigmoid", "gelu", "silu"),
)
"""Words that no message of PyTorch lists."""
NO_WORD = "no_such_word"
"""What refuses it mostly names the words that it knows."""
_MOST_NAMED = 40


def compared_words(text: str) -> list[str]:
    """The words that a program compares with, or looks up in a dictionary."""
    found: list[ast.AST] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Compare):
            found += [node.left, *node.comparators]
        elif isinstance(node, ast.Dict):
            found += [key for key in node.keys if key is not None]
        elif isinstance(node, ast.MatchValue):
            found.append(node.value)
    inside = [one for node in found for one in ast.walk(node) if isinstance(one, ast.Constant)]
    return list(dict.fromkeys(one.value for one in inside if isinstance(one.value, str)))


def neighbours(value: Any, words: Sequence[str], sizes: Container[int] = ()) -> list[Any]:
    """Other values in the place of one, the likeliest first. `words`: those that the reference knows; `sizes`: of
    tensors, which a number may be, and which then is none to vary."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        if (value > _SMALL and value in sizes) or abs(value) > _LARGEST:
            return []
        others = (value + 1, value - 1, 2 * value, value // 2)
        return [one for one in dict.fromkeys(others) if one != value]
    if isinstance(value, float):
        return [0.75 * value, -0.5 * value] if value else [0.5, -0.5]
    if isinstance(value, str):
        of_pytorch = [word for group in _OF_PYTORCH if value in group for word in group]
        return [word for word in dict.fromkeys([*words, *of_pytorch, NO_WORD]) if word != value]
    if isinstance(value, torch.dtype):
        return [one for one in (torch.float64, torch.float32, torch.bfloat16, torch.int32) if one != value]
    if callable(value) and not isinstance(value, type):
        return [one for one in (torch.tanh, torch.relu, torch.sigmoid) if one is not value]
    return [0.5, 2, True] if value is None else []


def named_in(refusal: str, values: Sequence[Any]) -> list[list[Any]]:
    """The arguments with each word of a refusal in the place of the one that nothing knows, if they hold that."""

    def other(value: Any, word: str) -> Any:
        if type(value) in (list, tuple):
            return type(value)(other(one, word) for one in value)
        if type(value) is dict:
            return {key: other(one, word) for key, one in value.items()}
        return word if isinstance(value, str) and value == NO_WORD else value

    words = list(dict.fromkeys(re.findall(r"[A-Za-z]\w*", refusal)))[:_MOST_NAMED]
    return [[other(one, word) for one in values] for word in words if _holds(list(values), NO_WORD)]


def _holds(value: Any, word: str) -> bool:
    parts = value.values() if type(value) is dict else value if type(value) in (list, tuple) else ()
    return (isinstance(value, str) and value == word) or any(_holds(one, word) for one in parts)


def one_differs(
    values: Sequence[Any], words: Sequence[str], sizes: Container[int] = (), *, floats: bool = True
) -> Iterator[list[list[Any]]]:
    """For each Python value among the arguments, in lists, tuples and dictionaries too: the arguments with another
    value in its place, the likeliest first. `floats`: those that stand alone too."""
    for at, value in enumerate(values):
        if isinstance(value, float) and not floats:
            continue
        inner: Iterator[list[Any]]
        if type(value) in (list, tuple):
            inner = ([type(value)(one) for one in found] for found in one_differs(value, words, sizes))
        elif type(value) is dict:
            parts = one_differs(list(value.values()), words, sizes)
            inner = ([dict(zip(value, one, strict=True)) for one in found] for found in parts)
        else:
            inner = iter([neighbours(value, words, sizes)])
        for found in inner:
            if found:
                yield [[*values[:at], other, *values[at + 1 :]] for other in found]
