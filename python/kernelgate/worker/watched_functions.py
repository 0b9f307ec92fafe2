"""Functions that a notebook's later cells call: whether a program has replaced one, or changed it in place.

In: this process. Out: words for each that is another one now. Not here: what PyTorch computes (`worker.behaviour`),
which shows a change wherever it was made.
"""

from __future__ import annotations

import builtins
import sys
import time
import types
from collections.abc import Iterator
from operator import is_
from pathlib import Path
from typing import Any

import torch

_TORCH = Path(torch.__file__).parent
# What the worker, the judge and a notebook's cells call between two calls of a program.
_CALLED_ALWAYS = {
    "the built-in function ": builtins,
    "torch.Tensor.": torch.Tensor,
    "torch.": torch,
    "torch.UntypedStorage.": torch.UntypedStorage,
    "torch.nn.functional.": torch.nn.functional,
    "torch.cuda.": torch.cuda,
    "time.": time,
}
# Watched if they are loaded, with their classes: importing NumPy would take longer than a call.
_MODULES = (
    "torch.nn", "torch.nn.init", "torch.autograd", "torch.linalg", "copy", "json", "math", "os", "pickle", "random",
    "statistics", "numpy",
)  # fmt: skip
_CONSTANTS = (torch.dtype, torch.layout, torch.memory_format, int, float, complex)
_FUNCTIONS = (property, staticmethod, classmethod, types.ModuleType)
# torch.compile puts wrappers of its own around these, once it is used.
_WRAPPED_BY_COMPILE = ("manual_seed", "__init__", "__setstate__")


class Functions:
    """The functions, classes and constants as they were when this was made."""

    def __init__(self) -> None:
        self._spaces = {prefix: (space, dict(vars(space))) for prefix, space in _spaces()}
        entries = (one for _space, entries in self._spaces.values() for one in entries.values())
        functions = {id(one): one for one in entries if isinstance(one, types.FunctionType)}
        self._parts = [(one, one.__code__, one.__defaults__) for one in functions.values()]

    def replaced_at_hand(self) -> list[str]:
        """Names of those that are called all the time and have been replaced. Takes a fraction of a millisecond."""
        return self._replaced(_CALLED_ALWAYS)

    def changed(self) -> list[str]:
        """All that have been replaced or changed inside, in words."""
        words = self._replaced(self._spaces)
        for space, _before in self._spaces.values():
            if isinstance(space, types.ModuleType) and sys.modules.get(space.__name__) is not space:
                words.append(f"the module {space.__name__} is replaced")
        for one, code, defaults in self._parts:
            if one.__code__ is not code or one.__defaults__ is not defaults:
                words.append(f"{one.__module__}.{one.__qualname__} has other code"[:300])
        return words

    def _replaced(self, prefixes: dict[str, Any]) -> list[str]:
        return [f"{prefix}{name} is replaced" for prefix in prefixes for name in _others(*self._spaces[prefix])]


def _spaces() -> Iterator[tuple[str, Any]]:
    """Modules and classes, each by the beginning of its names."""
    yield from _CALLED_ALWAYS.items()
    # In emulation these are classes of its own, which lie in no module of PyTorch's.
    yield from (("torch.cuda.Event.", torch.cuda.Event), ("torch.cuda.Stream.", torch.cuda.Stream))
    for name in _MODULES:
        module = sys.modules.get(name)
        if module is None:
            continue
        yield f"{name}.", module
        for found in list(vars(module).values()):
            if isinstance(found, type) and str(vars(found).get("__module__")).startswith(name.partition(".")[0]):
                yield f"{found.__module__}.{found.__qualname__}.", found


def _others(space: Any, before: dict[str, Any]) -> Iterator[str]:
    """Names whose function, class or constant is another one now."""
    now = vars(space)
    if all(map(is_, map(now.get, before), before.values())):
        return
    for name, was in before.items():
        found = now.get(name)
        # A lone underscore is the last value of an interactive session.
        if found is was or name == "_":
            continue
        constant = type(was) in _CONSTANTS and (type(found), found) != (type(was), was)
        if not (constant or callable(was) or isinstance(was, _FUNCTIONS)):
            continue
        wrapped = getattr(found, "__wrapped__", None) is was or name in _WRAPPED_BY_COMPILE
        if not (wrapped and _is_pytorchs(found)):  # an optimizer wraps its class as well
            yield name


def _is_pytorchs(function: Any) -> bool:
    code = getattr(function, "__code__", None)
    return code is not None and Path(code.co_filename).is_relative_to(_TORCH)
