"""Functions of the process that other programs call, and what each was made of: to see which ones are others now.

In: the modules that are loaded. Out: `Functions`, a snapshot, and the names that differ from it. A function can be
replaced where it is found, or changed in place: its code, its defaults, its own dictionary. So can a module, and a
constant such as torch.float32.
"""

from __future__ import annotations

import builtins
import contextlib
import copy
import functools
import inspect
import io
import json
import math
import operator
import os
import pickle
import random
import statistics
import sys
import threading
import time
import types
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

_TORCH = Path(torch.__file__).parent
# Functions that the worker, the judge and a notebook's cells call between two calls of a program.
_CALLED_ALWAYS = {
    "the built-in function ": builtins,
    "torch.Tensor.": torch.Tensor,
    "torch.": torch,
    "torch.UntypedStorage.": torch.UntypedStorage,
    "torch.nn.functional.": torch.nn.functional,
    "torch.cuda.": torch.cuda,
    "time.": time,
}
_OF_PYTHON = (
    contextlib, copy, functools, inspect, io, json, math, operator, os, pickle, random, statistics, threading,
    warnings,
)  # fmt: skip
# Watched where they are loaded: importing them would take longer than a call.
_OF_NUMPY = ("numpy", "numpy.linalg", "numpy.random", "numpy.testing")
_WITH_CONSTANTS = ("torch.", "math.")
_CONSTANTS = (torch.dtype, torch.layout, torch.memory_format, int, float)
# torch.compile puts wrappers of its own around these, once it is used.
_WRAPPED_BY_COMPILE = (
    "torch.manual_seed",
    "torch.random.manual_seed",
    "torch.nn.modules.module.Module.__init__",
    "torch.nn.modules.module.Module.__setstate__",
)
# Parts of PyTorch that models are written with. Compilers and the like change themselves, and take long to go through.
_PARTS = (
    "amp autograd backends cpu cuda distributions fft functional func futures hub library linalg nested nn optim "
    "overrides random serialization signal special storage testing types utils"
)
_NOTES_OF_PYTORCH = ("_torchdynamo", "__dynamo", "_dynamo", "__torch_")

_Spaces = dict[str, tuple[Any, dict[str, Any]]]


class Functions:
    """The functions and classes of a process as they were when this was made."""

    def __init__(self) -> None:
        self._always = {prefix: dict(vars(space)) for prefix, space in _CALLED_ALWAYS.items()}
        self._all = dict(_spaces())
        self._made_of = {
            id(function): (function, _made_of(function))
            for _space, entries in self._all.values()
            for function in map(_plain, entries.values())
            if isinstance(function, types.FunctionType)
        }

    def replaced_at_hand(self) -> list[str]:
        """Names of the functions that are called all the time and have been replaced. Takes a fraction of a
        millisecond."""
        return [
            f"{prefix}{name} is replaced"
            for prefix, before in self._always.items()
            for name in _others(before, vars(_CALLED_ALWAYS[prefix]), prefix)
        ]

    def changed(self) -> list[str]:
        """All that have been replaced or changed inside, in words."""
        words = []
        for prefix, (space, before) in self._all.items():
            words += [f"{prefix}{name} is replaced" for name in _others(before, vars(space), prefix)]
            if isinstance(space, types.ModuleType) and sys.modules.get(space.__name__) is not space:
                words.append(f"the module {space.__name__} is replaced")
        words += [f"torch.ops.aten.{name} is replaced" for name in _replaced_operators()]
        for function, made_of in self._made_of.values():
            part = _differs(made_of, _made_of(function))
            if part is not None:
                words.append(f"{function.__module__}.{function.__qualname__} has other {part}"[:300])
        return list(dict.fromkeys(words))


def _spaces() -> Iterator[tuple[str, tuple[Any, dict[str, Any]]]]:
    """Modules and classes by the beginning of their names, each with what it holds. First the names that a person
    knows: what is found there is not named again."""
    # In emulation the last two are classes of its own, which lie in no module of PyTorch's.
    named = {**_CALLED_ALWAYS, "torch.cuda.Event.": torch.cuda.Event, "torch.cuda.Stream.": torch.cuda.Stream}
    for prefix, space in named.items():
        yield prefix, (space, dict(vars(space)))
    classes: dict[type, str] = {}
    for name, module in list(sys.modules.items()):
        if _is_watched(name) and isinstance(module, types.ModuleType):
            entries = dict(vars(module))
            yield f"{name}.", (module, entries)
            for found in entries.values():
                if isinstance(found, type) and str(vars(found).get("__module__", "")).startswith("torch"):
                    classes.setdefault(found, f"{found.__module__}.{found.__qualname__}.")
    for module in (*_OF_PYTHON, *(sys.modules[name] for name in _OF_NUMPY if name in sys.modules)):
        yield f"{module.__name__}.", (module, dict(vars(module)))
    for found, prefix in classes.items():
        if prefix not in _CALLED_ALWAYS:
            yield prefix, (found, dict(vars(found)))


def _is_watched(name: str) -> bool:
    first, *parts = name.split(".")
    return first == "torch" and bool(parts) and parts[0] in _PARTS.split() and "._" not in name


def _others(before: dict[str, Any], now: Any, prefix: str) -> Iterator[str]:
    """Names whose function or class has been replaced."""
    for name, was in before.items():
        found = now.get(name)
        # A lone underscore is the last value of an interactive session.
        if found is was or name == "_":
            continue
        constant = prefix in _WITH_CONSTANTS and type(was) in _CONSTANTS and (type(found), found) != (type(was), was)
        if not (constant or _is_function(was) or isinstance(was, types.ModuleType)):
            continue
        if f"{prefix}{name}" in _WRAPPED_BY_COMPILE and _is_pytorchs(found):
            continue
        if getattr(found, "__wrapped__", None) is was and _is_pytorchs(found):
            continue  # as an optimizer does to its class when the first one is made
        yield name


def _is_function(value: Any) -> bool:
    return callable(value) or isinstance(value, property | staticmethod | classmethod)


def _replaced_operators() -> list[str]:
    """Names in torch.ops.aten that are looked up there before PyTorch's operators are."""
    return [
        name
        for name, found in vars(torch.ops.aten).items()
        if callable(found) and not isinstance(found, torch._ops.OpOverloadPacket)
    ]


def _plain(value: Any) -> Any:
    return value.__func__ if isinstance(value, staticmethod | classmethod) else value


def _made_of(function: types.FunctionType) -> tuple[Any, ...]:
    return (
        function.__code__,
        function.__defaults__,
        dict(function.__kwdefaults__) if function.__kwdefaults__ else None,
        dict(function.__dict__) if function.__dict__ else None,
    )


def _differs(before: tuple[Any, ...], now: tuple[Any, ...]) -> str | None:
    """The part of a function that has been replaced, or None. Compared by identity, since comparing values may fail."""
    if before[0] is not now[0]:
        return "code"
    if before[1] is not now[1] or _entries_differ(before[2] or {}, now[2] or {}):
        return "defaults"
    return "attributes" if _entries_differ(before[3] or {}, now[3] or {}) else None


def _entries_differ(before: dict[str, Any], now: dict[str, Any]) -> bool:
    names = {name for name in before.keys() | now.keys() if not name.startswith(_NOTES_OF_PYTORCH)}
    return any(before.get(name, now) is not now.get(name, before) for name in names)


def _is_pytorchs(function: Any) -> bool:
    code = getattr(function, "__code__", None)
    return code is not None and Path(code.co_filename).is_relative_to(_TORCH)
