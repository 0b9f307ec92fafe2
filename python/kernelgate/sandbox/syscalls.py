"""System calls that Python has no function for, by number."""

from __future__ import annotations

import ctypes
import os
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
