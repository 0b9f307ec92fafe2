"""Launches of Triton's kernels in this process: how they are to run, and what was found in them.

In: the order, the limit and the mode of the emulation. Out: how many there were, and lines of faults.
Not here: Triton, which only a program that uses it imports (`interpreter`).
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from typing import Any, NoReturn

import msgspec

from kernelgate.emulator.faults.fault_line import FaultLine, Triple
from kernelgate.emulator.faults.faults import POISON_U16

_USUAL_POISON = POISON_U16 * 0x0001000100010001
_MOST_FINDINGS = 64
_FAULT_STATUS = 139  # as the runtime ends a process that it has reported a fault of
_TRIED_S = 1.0  # so long a launch runs before its end is estimated
_LEAST_S = 1e-5  # of a program, whatever it does


class Launches:
    """`place`: where the memory at an address is, as `Native.place` says. `examine`: races and what is read unwritten
    are looked for as well, and a fault does not end the process."""

    def __init__(self, fault_fd: int, place: Callable[[int], int], limit_s: float, *, examine: bool) -> None:
        self.place = place
        self.examine = examine
        self.streams: Any = None  # of the device (`device.streams`)
        self.skipped = False
        self.every_configuration = False
        self.count = 0
        self.poison = _USUAL_POISON
        self.version = ""
        """Of Triton, from the first launch on until it is taken."""
        self._fault_fd = fault_fd
        self._limit_s = limit_s
        self._order, self._seed = "normal", 1
        self._findings: dict[object, bytes] = {}
        self._told: set[object] = set()
        self._began = 0.0

    def set_order(self, name: str, seed: int) -> None:
        self._order, self._seed = name, seed

    def ordered(self, grid: Triple) -> list[Triple]:
        """The programs of a launch, in the order in which they run."""
        programs = [(x, y, z) for z in range(grid[2]) for y in range(grid[1]) for x in range(grid[0])]
        if self._order == "reversed":
            programs.reverse()
        elif self._order == "shuffled":
            random.Random(self._seed).shuffle(programs)
        return programs

    def begin(self, version: str) -> None:
        """A kernel is launched. `version`: of Triton."""
        self.version = version if self.count == 0 else self.version
        self.count += 1
        self._began = time.monotonic()

    def refuse_too_many(self, done: int, programs: int, fault: Callable[[], FaultLine]) -> None:
        """Ends the process where a launch would not end in time, as far as the programs that are done show."""
        passed = time.monotonic() - self._began
        each = passed / done if done and passed > _TRIED_S else _LEAST_S
        if self._limit_s and each * programs > self._limit_s:
            self._end(fault())

    def is_late(self) -> bool:
        """Whether a launch takes longer than it may."""
        return bool(self._limit_s) and time.monotonic() - self._began > self._limit_s

    def report(self, fault: FaultLine) -> None:
        """Keeps a fault in a memory check, once; ends the process with it otherwise."""
        if not self.examine:
            self._end(fault)
        key = fault.kind, fault.line, fault.other_line
        if key not in self._told and len(self._findings) < _MOST_FINDINGS:
            self._told.add(key)
            self._findings[key] = msgspec.json.encode(fault)

    def findings(self) -> list[bytes]:
        """Those since the last call."""
        found, self._findings = list(self._findings.values()), {}
        return found

    def examine_anew(self, poison: int) -> None:
        """Has known faults reported again; `poison` is what fresh memory then holds, 0 for the usual."""
        self._told.clear()
        self.poison = poison or _USUAL_POISON

    def take_version(self) -> str:
        """The version of Triton, if its first kernel was launched since the last call."""
        version, self.version = self.version, ""
        return version

    def _end(self, fault: FaultLine) -> NoReturn:
        os.write(self._fault_fd, msgspec.json.encode(fault) + b"\n")
        os._exit(_FAULT_STATUS)
