"""Landlock: a process gives up writing outside of named places, for itself and for all that it starts.

In: the places. Out: which restrictions hold, which depends on the kernel's version of Landlock. Reading stays open.
It needs no privilege, cannot be undone, and holds for root. It does not govern chmod, chown and the times of existing
files, Unix sockets, and files that are already open.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

_PR_SET_NO_NEW_PRIVS = 38


class SystemCallFailed(Exception):
    """What was tried, and the error's number; 0 if the kernel was not even asked."""

    def __init__(self, what: str, number: int) -> None:
        super().__init__(f"{what}: {os.strerror(number)}" if number else what)
        self.number = number


def system_call(number: int, *arguments: Any) -> int:
    """The result. Arguments are whole numbers, None for a null pointer, or pointers. Raises SystemCallFailed."""
    libc = ctypes.CDLL(None, use_errno=True)
    # Without a type, ctypes passes a whole number as an int, and the upper half of its register is undefined.
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    libc.syscall.restype = ctypes.c_long
    result = int(libc.syscall(ctypes.c_long(number), *words))
    if result < 0:
        raise SystemCallFailed(f"system call {number}", ctypes.get_errno())
    return result


def no_new_privileges() -> None:
    """No program started from here gains rights, by set-user-id or otherwise; what the other restrictions require."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(
        _PR_SET_NO_NEW_PRIVS, ctypes.c_long(1), ctypes.c_long(0), ctypes.c_long(0), ctypes.c_long(0)
    ):
        raise SystemCallFailed("no_new_privs", ctypes.get_errno())


# The same on every processor.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1
_PATH_BENEATH = 1

_WRITE_FILE, _REMOVE_DIR, _REMOVE_FILE = 1 << 1, 1 << 4, 1 << 5
_MAKE = sum(1 << bit for bit in range(6, 13))
_REFER, _TRUNCATE = 1 << 13, 1 << 14
_BIND_TCP, _CONNECT_TCP = 1 << 0, 1 << 1
_SCOPE_SIGNAL = 1 << 1

_OF_A_FILE = _WRITE_FILE | _TRUNCATE

# Below this, no file can move from one folder to another, not even within one place, as programs do.
_FIRST_WITH_REFER = 2
_FIRST_WITH_TRUNCATE, _FIRST_WITH_NETWORK, _FIRST_WITH_SIGNALS = 3, 4, 6


class _Ruleset(ctypes.Structure):
    _fields_ = (
        ("files", ctypes.c_uint64),
        ("network", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("rights", ctypes.c_uint64), ("folder", ctypes.c_int32))


def version() -> int:
    """Which Landlock this kernel has; 0 is none."""
    try:
        return system_call(_CREATE_RULESET, None, 0, _VERSION)
    except SystemCallFailed:
        return 0


def restrict(folders: Sequence[Path], writable: Iterable[Path]) -> list[str]:
    """From now on: anything below `folders`, writing to what is at or below `writable`, and no other change.

    Returns what holds: "files" (and no tracing of processes outside), "tcp", "signals". Raises SystemCallFailed.
    """
    has = version()
    if has < _FIRST_WITH_REFER:
        raise SystemCallFailed("no Landlock in this kernel" if not has else "Landlock 1 is too old", 0)
    rights = _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE | _REFER
    if has >= _FIRST_WITH_TRUNCATE:
        rights |= _TRUNCATE
    asked = _Ruleset(files=rights)
    held, size = ["files"], 8
    if has >= _FIRST_WITH_NETWORK:
        asked.network, size = _BIND_TCP | _CONNECT_TCP, 16
        held.append("tcp")
    if has >= _FIRST_WITH_SIGNALS:
        asked.scoped, size = _SCOPE_SIGNAL, 24
        held.append("signals")
    ruleset = system_call(_CREATE_RULESET, ctypes.byref(asked), size, 0)
    try:
        for folder in folders:
            _allow(ruleset, folder, rights)
        for place in writable:
            _allow(ruleset, place, rights & _OF_A_FILE)
        no_new_privileges()
        system_call(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)
    return held


def _allow(ruleset: int, place: Path, rights: int) -> None:
    try:
        descriptor = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # what does not exist or cannot be reached needs no right
        return
    try:
        beneath = _Beneath(rights=rights, folder=descriptor)
        system_call(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(beneath), 0)
    finally:
        os.close(descriptor)
