"""Functions of the process that other programs call, and what each was made of: to see which ones are others now.

In: the modules that are loaded. Out: `Functions`, a snapshot, and the names that differ from it. A function can be
replaced where it is found, or changed in place: its code, its defaults, its own dictionary. So can a module, and a
constant such as torch.float32.
"""

from __future__ import annotations

import builtins
import sys
import time
import types
from collections.abc import Iterable, Iterator
from itertools import chain, compress, repeat
from operator import attrgetter, is_
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
# Of Python's own modules, those on top are watched, with what they have from modules below. Not these: they are large
# and hold little that other programs call, or (distutils) setuptools puts another one in their place.
_NOT_OF_PYTHON = (
    "argparse", "ctypes", "dis", "distutils", "email", "errno", "ntpath", "opcode", "pickletools", "ssl", "tarfile",
    "token", "typing", "unittest",
)  # fmt: skip
# Watched where they are loaded, as Python's are: importing them would take longer than a call.
_OF_NUMPY = ("numpy", "numpy.fft", "numpy.linalg", "numpy.random", "numpy.testing")
_WITH_CONSTANTS = ("torch.", "math.", "cmath.", "numpy.")
_CONSTANTS = (torch.dtype, torch.layout, torch.memory_format, int, float, complex)
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
_NAMES_OF_PARTS = frozenset(_PARTS.split())
_MAY_BE_CHANGED = 1 << 9  # Py_TPFLAGS_HEAPTYPE: classes that are written in Python, and some others
_NOTES_OF_PYTORCH = ("_torchdynamo", "__dynamo", "_dynamo", "__torch_")

_Space = tuple[str, tuple[Any, dict[str, Any]]]
"""A module or a class by the beginning of its names, with what it holds."""
_Spaces = dict[str, tuple[Any, dict[str, Any]]]

_WRAPPERS = (staticmethod, classmethod)
_CODE, _DEFAULTS = attrgetter("__code__"), attrgetter("__defaults__")
_KEYWORDS, _ATTRIBUTES = attrgetter("__kwdefaults__"), attrgetter("__dict__")


class Functions:
    """The functions and classes of a process as they were when this was made. `ahead`: taken in the process that this
    one was forked from, in which no program ran: only what has come since, and what a worker changes, is taken anew."""

    def __init__(self, ahead: Functions | None = None) -> None:
        self._always = {prefix: dict(vars(space)) for prefix, space in _CALLED_ALWAYS.items()}
        anew = dict(_spaces() if ahead is None else ahead._come_since())
        self._all: _Spaces = {**ahead._all, **anew} if ahead is not None else anew
        parts = _Parts(entries.values() for _space, entries in anew.values())
        self._parts: list[_Parts] = [*(ahead._parts if ahead is not None else ()), parts]
        self._loaded = frozenset(sys.modules)

    def _come_since(self) -> Iterator[_Space]:
        """Of a process that was forked from one with these."""
        yield from _named_spaces()
        # What emulation, a build and the worker itself put in the place of PyTorch's own, before a program is loaded.
        for prefix, (space, before) in self._all.items():
            now = vars(space)
            if now.keys() != before.keys() or not all(map(is_, now.values(), map(before.__getitem__, now))):
                yield prefix, (space, dict(now))
        known = {space for space, _entries in self._all.values() if isinstance(space, type)}
        yield from _modules_and_classes([name for name in sys.modules if name not in self._loaded], known)

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
        for function, part in chain.from_iterable(parts.changed() for parts in self._parts):
            words.append(f"{function.__module__}.{function.__qualname__} has other {part}"[:300])
        return list(dict.fromkeys(words))


def _spaces() -> Iterator[_Space]:
    """First the names that a person knows: what is found there is not named again."""
    yield from _named_spaces()
    yield from _modules_and_classes(list(sys.modules), set())


def _named_spaces() -> Iterator[_Space]:
    # In emulation the last two are classes of its own, which lie in no module of PyTorch's.
    named = {**_CALLED_ALWAYS, "torch.cuda.Event.": torch.cuda.Event, "torch.cuda.Stream.": torch.cuda.Stream}
    for prefix, space in named.items():
        yield prefix, (space, dict(vars(space)))


def _modules_and_classes(names: Iterable[str], known: set[type]) -> Iterator[_Space]:
    """Those that are watched of these modules, and their classes but for the known ones."""
    classes: dict[type, str] = {}
    for name in names:
        module = sys.modules.get(name)
        if not isinstance(module, types.ModuleType) or not _is_watched(name):
            continue
        entries = dict(vars(module))
        yield f"{name}.", (module, entries)
        for found in entries.values():
            if isinstance(found, type) and found not in classes and _is_of_one_watched(found, name):
                classes[found] = f"{found.__module__}.{found.__qualname__}."
    for found, prefix in classes.items():
        if prefix not in _CALLED_ALWAYS and found not in known:
            yield prefix, (found, dict(vars(found)))


def _is_watched(name: str) -> bool:
    first, *parts = name.split(".")
    if first == "torch":
        return bool(parts) and parts[0] in _NAMES_OF_PARTS and "._" not in name
    of_python = not parts and name in sys.stdlib_module_names and name not in _NOT_OF_PYTHON
    return name in _OF_NUMPY or (of_python and not name.startswith("_"))


def _is_of_one_watched(found: type, module: str) -> bool:
    """Whether a class that is found in a module is one of PyTorch's, or one of Python's that this module defines."""
    own = str(vars(found).get("__module__", ""))
    return own.startswith("torch") or (
        own.partition(".")[0] == module and bool(found.__flags__ & _MAY_BE_CHANGED)
    )


def _others(before: dict[str, Any], now: Any, prefix: str) -> Iterator[str]:
    """Names whose function or class has been replaced."""
    if all(map(is_, map(now.get, before), before.values())):
        return
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
    return callable(value) or isinstance(value, (property, *_WRAPPERS))


def _replaced_operators() -> list[str]:
    """Names in torch.ops.aten that are looked up there before PyTorch's operators are."""
    return [
        name
        for name, found in vars(torch.ops.aten).items()
        if callable(found) and not isinstance(found, torch._ops.OpOverloadPacket)
    ]


class _Parts:
    """What functions were made of when this was made. There are some ten thousand: no loop here runs over all in Python
    where another way is as plain."""

    def __init__(self, spaces: Iterable[Iterable[Any]]) -> None:
        every = list(chain.from_iterable(spaces))
        functions = _of_type(types.FunctionType, every)
        for wrapper in _WRAPPERS:
            functions += _of_type(types.FunctionType, [one.__func__ for one in _of_type(wrapper, every)])
        self._functions = list(dict(zip(map(id, functions), functions, strict=True)).values())
        self._codes = list(map(_CODE, self._functions))
        self._defaults = list(map(_DEFAULTS, self._functions))
        # Keywords' defaults and attributes are dictionaries, which may be changed in place.
        self._dictionaries = [
            (part, [dict(one) if one else None for one in map(get, self._functions)])
            for part, get in (("defaults", _KEYWORDS), ("attributes", _ATTRIBUTES))
        ]

    def changed(self) -> Iterator[tuple[types.FunctionType, str]]:
        """Functions that are made of something else now, each with what differs. Parts are compared by identity, since
        comparing values may fail."""
        for part, was, get in (("code", self._codes, _CODE), ("defaults", self._defaults, _DEFAULTS)):
            if not all(map(is_, map(get, self._functions), was)):
                pairs = zip(self._functions, was, strict=True)
                yield from ((one, part) for one, before in pairs if get(one) is not before)
        for (part, copies), get in zip(self._dictionaries, (_KEYWORDS, _ATTRIBUTES), strict=True):
            for one, before, now in zip(self._functions, copies, map(get, self._functions), strict=True):
                if (before or now) and _entries_differ(before or {}, now or {}):
                    yield one, part


def _of_type(kind: type, values: list[Any]) -> list[Any]:
    return list(compress(values, map(is_, map(type, values), repeat(kind))))


def _entries_differ(before: dict[str, Any], now: dict[str, Any]) -> bool:
    names = {name for name in before.keys() | now.keys() if not name.startswith(_NOTES_OF_PYTORCH)}
    return any(before.get(name, now) is not now.get(name, before) for name in names)


def _is_pytorchs(function: Any) -> bool:
    code = getattr(function, "__code__", None)
    return code is not None and Path(code.co_filename).is_relative_to(_TORCH)
