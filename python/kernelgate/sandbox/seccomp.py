"""Seccomp: a filter that refuses system calls, for this process and for all that it starts.

It refuses, with EPERM, calls that reach into other processes, open a network, or do to the machine what only a
superuser may. It allows the rest: a filter that lists what is allowed would break with the next driver.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import socket
import struct

from kernelgate.sandbox.landlock import SystemCallFailed, no_new_privileges, system_call

_SET_MODE_FILTER = 1
# Without it, Linux before 5.16 turns on mitigations that slow the process down, and distort its timing.
_FLAG_SPEC_ALLOW = 1 << 2

# By name: the numbers on x86-64 and on aarch64; None if there is no such call.
_REFUSED: dict[str, tuple[int, int | None]] = {
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    # sockets that no filter sees
    "io_uring_setup": (425, 425),
    # the view of the file system
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_by_handle_at": (304, 265),
    "setns": (308, 268),
    "unshare": (272, 97),
    # the machine, its clock among it
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "bpf": (321, 280),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "iopl": (172, None),
    "ioperm": (173, None),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
}
_SOCKET = (41, 198)
_PRLIMIT = (302, 261)
_PRCTL = (157, 167)
_SECCOMP = (317, 277)
_PR_SET_CHILD_SUBREAPER = 36
"""A program that undid it could leave processes behind that nobody finds."""
_FAMILIES = (int(socket.AF_UNIX), int(socket.AF_NETLINK))
"""Sockets of these families stay: CUDA shares memory over the first, and drivers speak over the second."""

_FAMILIES_WITHOUT_UNIX = (int(socket.AF_NETLINK),)

_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_X32 = 0x40000000  # x86-64: the same calls again, under other numbers

# The parts of a call that a filter sees: offsets into struct seccomp_data, on a little-endian machine.
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16

_LOAD, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM


def _step(code: int, operand: int, then: int = 0, otherwise: int = 0) -> bytes:
    """One instruction; `then` and `otherwise` are how many to skip."""
    return struct.pack("=HBBI", code, then, otherwise, operand)


def program(machine: str, *, unix_sockets: bool = True) -> bytes:
    """The filter for a processor, as `platform.machine` names it. Raises SystemCallFailed."""
    families = _FAMILIES if unix_sockets else _FAMILIES_WITHOUT_UNIX
    if machine not in _ARCHITECTURES:
        raise SystemCallFailed(f"no filter for {machine}", 0)
    column, architecture = _ARCHITECTURES[machine]
    steps = [
        _step(_LOAD, _ARCHITECTURE),
        _step(_IF_EQUAL, architecture, then=1),
        _step(_RETURN, _REFUSE),  # a call as a 32-bit program makes it, under other numbers
        _step(_LOAD, _NUMBER),
        _step(_IF_AT_LEAST, _X32, otherwise=1),
        _step(_RETURN, _REFUSE),
    ]
    for numbers in _REFUSED.values():
        number = numbers[column]
        if number is not None:
            steps += [_step(_IF_EQUAL, number, otherwise=1), _step(_RETURN, _REFUSE)]
    for number, allowed in ((_SOCKET[column], families), (_PRLIMIT[column], (0,))):
        check = [_step(_LOAD, _FIRST_ARGUMENT)]
        for value in allowed:
            check += [_step(_IF_EQUAL, value, otherwise=1), _step(_RETURN, _ALLOW)]
        check.append(_step(_RETURN, _REFUSE))
        steps += [_step(_IF_EQUAL, number, otherwise=len(check)), *check]
    steps += [
        _step(_IF_EQUAL, _PRCTL[column], otherwise=3),
        _step(_LOAD, _FIRST_ARGUMENT),
        _step(_IF_EQUAL, _PR_SET_CHILD_SUBREAPER, otherwise=1),
        _step(_RETURN, _REFUSE),
        _step(_RETURN, _ALLOW),
    ]
    return b"".join(steps)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def restrict(*, unix_sockets: bool = True) -> None:
    """Installs the filter in the calling thread. Raises SystemCallFailed."""
    machine = platform.machine()
    steps = program(machine, unix_sockets=unix_sockets)
    asked = _Program(len(steps) // 8, steps)
    no_new_privileges()
    number = _SECCOMP[_ARCHITECTURES[machine][0]]
    try:
        system_call(number, _SET_MODE_FILTER, _FLAG_SPEC_ALLOW, ctypes.byref(asked))
    except SystemCallFailed as exc:
        if exc.number != errno.EINVAL:  # a kernel that does not know the flag
            raise
        system_call(number, _SET_MODE_FILTER, 0, ctypes.byref(asked))
