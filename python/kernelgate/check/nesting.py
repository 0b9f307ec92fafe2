"""Nested values: tensors in lists, tuples and dictionaries, as inputs and as results.

In: a value. Out: its form in words, and its tensors in order. Both sides of a run use it, so that two results have the
same form exactly where their words are equal.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Sequence
from typing import Any

import torch

from kernelgate.check import MAX_FORM, MAX_TENSORS

_OF_A_RUN = (torch.float32, torch.float16, torch.bfloat16, torch.float64)
_MOST_NAMED = 4

_MAX_DEPTH = 32


def flatten(value: Any) -> tuple[str, list[torch.Tensor]]:
    """The form of a value, such as "(tensor, [tensor, 3])", and the tensors in it in order.

    What is no tensor, number, string, None, list, tuple, dictionary or dataclass stands there by the name of its type,
    and the tensors in it are not looked for. Raises ValueError beyond 4,096 tensors or 32 levels.
    """
    tensors: list[torch.Tensor] = []
    form = _form(value, tensors, 0)
    if len(tensors) > MAX_TENSORS:
        raise ValueError(f"a value of {len(tensors)} tensors")
    return form if len(form) <= MAX_FORM else f"{form[: MAX_FORM - 4]} ...", tensors


_FLOAT = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])""")


def floats_apart(form: str) -> tuple[str, list[float]]:
    """A form with "float" in the place of each, and these in order."""
    found: list[float] = []

    def replaced(match: re.Match[str]) -> str:
        text = match.group()
        if text[0] in "'\"" or not ("." in text or "e" in text):
            return text  # a string, or an int
        found.append(float(text))
        return "float"

    return _FLOAT.sub(replaced, form), found


def without_names(form: str) -> str:
    """A form with each named tuple as the tuple that it is as well."""
    return re.sub(r"\b\w+\((?!\w+=)", "(", form)


def _form(value: Any, tensors: list[torch.Tensor], depth: int) -> str:
    if isinstance(value, torch.Tensor):
        tensors.append(value)
        return "tensor"
    if depth > _MAX_DEPTH:
        raise ValueError(f"a value of more than {_MAX_DEPTH} levels")
    if isinstance(value, tuple | list):
        parts = ", ".join(_form(one, tensors, depth + 1) for one in value)
        if isinstance(value, list):
            return f"[{parts}]"
        fields = getattr(type(value), "_fields", None)
        if fields is None:
            return f"({parts})"
        reads = (type(value).__iter__, type(value).__getitem__)
        name = type(value).__name__
        plain = reads == (tuple.__iter__, tuple.__getitem__)
        return f"{name}({parts})" if plain else f"a {name} that reads differently"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k!r:.80}: {_form(v, tensors, depth + 1)}" for k, v in value.items()) + "}"
    if value is None or isinstance(value, bool | int | float | str):
        return f"{value!r:.80}"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = ", ".join(
            f"{one.name}={_form(getattr(value, one.name, None), tensors, depth + 1)}"
            for one in dataclasses.fields(value)
        )
        return f"{type(value).__name__}({parts})"
    return f"a {type(value).__name__}"


def mapped(value: Any, change: Callable[[torch.Tensor], Any]) -> Any:
    """A value with each tensor in it changed, lists, tuples, dictionaries and dataclasses included."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, tuple) and hasattr(type(value), "_fields"):
        return type(value)(*(mapped(one, change) for one in value))
    if type(value) in (list, tuple):
        return type(value)(mapped(one, change) for one in value)
    if isinstance(value, dict):
        return {key: mapped(one, change) for key, one in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {one.name: getattr(value, one.name) for one in dataclasses.fields(value) if one.init}
        return dataclasses.replace(value, **{name: mapped(one, change) for name, one in fields.items()})
    return value


def is_floating(value: Any) -> bool:
    """Whether a value is a tensor of floating numbers that PyTorch computes with. Those of 8 bits it only stores: a
    problem draws them itself, and they are compared as whole numbers are."""
    return isinstance(value, torch.Tensor) and value.is_floating_point() and value.element_size() > 1


def resolved(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor with its numbers in its memory: of a conjugate or a negative that is a view, PyTorch notes the sign
    beside it. Itself, if it is no such view."""
    return tensor.resolve_conj().resolve_neg() if tensor.layout == torch.strided else tensor


def tensors_in(values: Any) -> list[torch.Tensor]:
    """The tensors in a value, in order."""
    return flatten(values)[1]


def shape_words(values: Sequence[Any]) -> str:
    """ "4096x393216", or several of them with commas; "scalar" for a tensor without dimensions."""
    shapes = [v.shape for v in tensors_in(list(values))]
    return ", ".join("x".join(str(n) for n in shape) or "scalar" for shape in shapes)


def dtype_words(values: Sequence[Any], dtype: torch.dtype) -> str:
    """ "float32": the run's dtype, where a tensor has it, as every floating one has in the end, or if there is no
    tensor; else those of the tensors: "int64, bool"."""
    found = dict.fromkeys(dtype if v.dtype in _OF_A_RUN else v.dtype for v in tensors_in(list(values)))
    named = [dtype] if dtype in found or not found else list(found)[:_MOST_NAMED]
    return ", ".join(str(one).removeprefix("torch.") for one in named)
