"""What the programs of one launch read and write, looked at by rule: bounds, races, and what nothing has written.

In: arrays of addresses, and the tensor that each was computed from. Out: faults, at lines of the program's Python.
Programs run one after the other here, so that what one of them has done is known when the next one begins.
Not here: Triton (`builder`), what happens to a fault (`launches`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from kernelgate.emulator.faults.fault_line import AccessKind, FaultLine, Kind, Triple
from kernelgate.emulator.triton.launches import Launches

Array = npt.NDArray[Any]
Way = Literal["read", "write", "atomic"]
# What an access meets that is not ordered with it. Atomics are ordered among themselves.
_MEETS: dict[Way, tuple[Way, ...]] = {
    "read": ("write", "atomic"),
    "write": ("write", "read", "atomic"),
    "atomic": ("write", "read"),
}
_NULL_BYTES = 65536
_MOST_ASKED = 5000  # atomics and volatile reads of one program
_MOST_LANES = 32  # of an atomic that orders programs: larger ones sum something up


class _Touched:
    """Of each cell of a tensor, the two latest programs that touched it in one way: who, in which line, and when."""

    def __init__(self, cells: int) -> None:
        self.program, self.line, self.time = (np.zeros((2, cells), np.int32) for _ in range(3))

    def note(self, cells: Array, program: int, line: int, time: int) -> None:
        former = cells[(self.program[0, cells] != 0) & (self.program[0, cells] != program)]
        for kept, now in ((self.program, program), (self.line, line), (self.time, time)):
            kept[1, former] = kept[0, former]
            kept[0, cells] = now

    def by_others(self, cells: Array, program: int, seen: Array | None) -> Array:
        """For both programs of each cell: whether it is another one, whose access comes before by no order."""
        found = self.program[:, cells]
        others = (found != 0) & (found != program)
        unseen = seen[found] <= self.time[:, cells] if seen is not None else True
        return np.asarray(others & unseen)

    def refine(self, times: int) -> None:
        self.program, self.line, self.time = (
            np.repeat(array, times, axis=1) for array in (self.program, self.line, self.time)
        )


class Shadow:
    """What was done to the memory of a tensor. `cell`: bytes of what is told apart in it: the elements of the tensor,
    unless a kernel takes smaller ones."""

    def __init__(self, size: int, cell: int) -> None:
        self.size, self.cell = size, cell
        self._touched: dict[Way, _Touched] = {}

    def cells(self, offsets: Array, item: int) -> Array:
        """Those of accesses of `item` bytes each, one after the other."""
        if item < self.cell:
            for touched in self._touched.values():
                touched.refine(self.cell // item)
            self.cell = item
        return np.asarray((offsets[:, None] // self.cell + np.arange(max(1, item // self.cell))).reshape(-1))

    def touched(self, way: Way) -> _Touched | None:
        return self._touched.get(way)

    def spans(self, way: Way) -> list[tuple[int, int]]:
        """The bytes that were touched in one way: the first of those that lie together, and the first behind them."""
        if way not in self._touched:
            return []
        edges = np.flatnonzero(np.diff(np.concatenate(([0], self._touched[way].program[0] != 0, [0])).astype(np.int8)))
        return [(int(first) * self.cell, min(int(end) * self.cell, self.size)) for first, end in edges.reshape(-1, 2)]

    def note(self, way: Way, cells: Array, program: int, line: int, time: int) -> None:
        if way not in self._touched:
            self._touched[way] = _Touched(self.size // self.cell + 1)
        self._touched[way].note(cells, program, line, time)


@dataclass(frozen=True)
class Region:
    """The memory behind a tensor that a kernel was given, by its parameter's name."""

    name: str
    begin: int
    size: int
    shadow: Shadow

    def holds(self, low: int, high: int) -> bool:
        return self.begin <= low and high <= self.begin + self.size

    def offsets(self, addresses: Array) -> Array:
        return np.asarray((addresses - np.uint64(self.begin)).astype(np.int64))


class Accesses:
    """Of one launch. `file`: of the kernel's Python, whose lines are the program's."""

    def __init__(self, kernel: str, file: str, regions: list[Region], launches: Launches) -> None:
        self.kernel = kernel
        self._file = file
        self._regions = regions
        self._launches = launches
        self._programs: list[Triple] = [(0, 0, 0)]
        # What orders programs: an atomic that acquires has seen what came before the one that released.
        self._asked = 0
        self._time = 0
        self._seen: Array | None = None
        self._released: dict[int, dict[int, int]] = {}

    def begin(self, program: Triple) -> None:
        """The next program runs."""
        self._programs.append(program)
        self._seen = None
        self._asked = 0

    def refuse_waiting(self) -> None:
        """Ends a launch in which a program asks for another's word again and again, or for too long."""
        self._asked += 1
        if self._launches.is_late() or (self._launches.examine and self._asked > _MOST_ASKED):
            self._launches.report(self.fault("waits" if self._launches.examine else "endless"))
            raise RuntimeError("A program of the grid waits for another")

    def line(self) -> int | None:
        """The program's line that is being executed."""
        frame = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_filename == self._file:
                return frame.f_lineno
            frame = frame.f_back  # type: ignore[assignment]
        return None

    def fault(self, kind: Kind, **facts: Any) -> FaultLine:
        """A fault of the program that runs, in its line."""
        facts.setdefault("line", self.line())
        return FaultLine(
            kind=kind, kernel=self.kernel[:1024], launch_unit=self._file[:1024], block=self._programs[-1], **facts
        )

    def inside(self, addresses: Array, mask: Array, item: int, region: Region | None, access: AccessKind) -> Array:
        """`mask` without the accesses outside of the tensor, which are reported."""
        asked = addresses[mask]
        if not asked.size:
            return mask
        low, high = int(asked.min()), int(asked.max()) + item
        parts = self._by_region(addresses, mask) if region is None else []
        if len(parts) > 1:
            rest = mask & ~np.logical_or.reduce([part for _, part in parts])
            if rest.any():  # strays, from the tensor that lies before the first
                before = [each for each, _ in parts if each.begin <= int(addresses[rest][0])]
                parts.append((before[-1] if before else parts[0][0], rest))
            held = [self.inside(addresses, part, item, each, access) for each, part in parts]
            return np.asarray(np.logical_or.reduce(held))
        region = region or (parts[0][0] if parts else None)
        if region is None:
            if high >= _NULL_BYTES and self._launches.place(low) >= 0 and self._launches.place(high - 1) >= 0:
                return mask  # a tensor whose address the kernel has read or computed
            kind: Kind = "null" if low < _NULL_BYTES else "out_of_bounds"
            self._launches.report(self.fault(kind, access=access, access_bytes=item))
            return np.zeros_like(mask)
        if region.holds(low, high):
            return mask
        offsets = region.offsets(addresses)
        strays = mask & ((offsets < 0) | (offsets + item > region.size))
        first = int(offsets[strays][0])
        self._launches.report(self.fault("out_of_bounds", access=access, **self._at(region, first, item)))
        return mask & ~strays

    def touch(self, addresses: Array, item: int, region: Region | None, way: Way, sync: bool = False) -> None:
        """Looks for another program that touches the same bytes, with nothing that orders the two. `addresses`: of what
        lies inside, one after the other. `sync`: an atomic that acquires and releases."""
        if region is None:
            for each, part in self._by_region(addresses, np.ones(addresses.shape, bool)):
                self.touch(addresses[part], item, each, way, sync)
        if region is None or not addresses.size:
            return
        if sync and addresses.size <= _MOST_LANES:
            self._acquire(addresses)
        cells, program = region.shadow.cells(region.offsets(addresses), item), len(self._programs) - 1
        for other in _MEETS[way]:
            touched = region.shadow.touched(other)
            others = touched.by_others(cells, program, self._seen) if touched is not None else np.zeros((2, 0))
            if touched is not None and others.any():
                row, at = (int(each[0]) for each in np.nonzero(others))
                self._report_race(region, touched, row, int(cells[at]), item, way, other)
                break
        region.shadow.note(way, cells, program, self.line() or 0, self._time)
        if sync and addresses.size <= _MOST_LANES:
            self._release(addresses, program)

    def touched(self) -> Iterator[tuple[int, int, Way]]:
        """Where the launch has read and written: each address, and how many bytes from there on."""
        for region in self._regions:
            for way in _MEETS:
                for first, end in region.shadow.spans(way):
                    yield region.begin + first, end - first, way

    def written_twice(self, addresses: Array, values: Array, item: int, region: Region | None) -> None:
        """Looks for two elements of one store that go to the same place with different values."""
        order = np.argsort(addresses, kind="stable")
        there, bits = addresses[order], _bits(values)[order]
        twice = np.flatnonzero((there[1:] == there[:-1]) & (bits[1:] != bits[:-1]))
        region = region or (self._holding(int(there[twice[0]])) if twice.size else None)
        if twice.size and region is not None:
            offset = int(there[twice[0]]) - region.begin
            block = self._programs[-1]
            same = {"access": "write", "other_access": "write", "other_block": block, "other_line": self.line()}
            self._launches.report(self.fault("race", **same, **self._at(region, offset, item)))

    def read_values(self, addresses: Array, values: Array, region: Region | None) -> None:
        """Looks for what fresh memory holds among the values that were read."""
        item = values.dtype.itemsize
        if item < 2 or (item == 2 and values.dtype.kind == "i"):
            return  # such numbers may well be in use
        fresh = np.flatnonzero(_bits(values) == np.uint64(self._launches.poison & ((1 << 8 * item) - 1)))
        region = region or (self._holding(int(addresses[fresh[0]])) if fresh.size else None)
        if fresh.size and region is not None:
            at = self._at(region, int(addresses[fresh[0]]) - region.begin, item)
            self._launches.report(self.fault("uninitialised", access="read", **at))

    def _report_race(
        self, region: Region, touched: _Touched, row: int, cell: int, item: int, way: Way, other: Way
    ) -> None:
        facts = {
            "access": "read" if way == "read" else "write",
            "other_access": "read" if other == "read" else "write",
            "other_block": self._programs[int(touched.program[row, cell])],
            "other_line": int(touched.line[row, cell]) or None,
        }
        self._launches.report(self.fault("race", **facts, **self._at(region, cell * region.shadow.cell, item)))

    def _acquire(self, addresses: Array) -> None:
        for address in addresses.tolist():
            for program, time in self._released.get(address, {}).items():
                if self._seen is None:
                    self._seen = np.zeros(len(self._programs), np.int32)
                self._seen[program] = max(int(self._seen[program]), time)

    def _release(self, addresses: Array, program: int) -> None:
        self._time += 1
        seen = {} if self._seen is None else {int(n): int(self._seen[n]) for n in np.flatnonzero(self._seen)}
        for address in addresses.tolist():
            known = self._released.setdefault(address, {})
            for one, time in {**seen, program: self._time}.items():
                known[one] = max(known.get(one, 0), time)

    def _by_region(self, addresses: Array, mask: Array) -> list[tuple[Region, Array]]:
        """Of pointers that forget which tensor they lead into, or were chosen from several: those into each."""
        parts = [
            (each, mask & (addresses >= np.uint64(each.begin)) & (addresses < np.uint64(each.begin + each.size)))
            for each in sorted({region.begin: region for region in self._regions}.values(), key=lambda one: one.begin)
        ]
        return [(each, part) for each, part in parts if part.any()]

    def _holding(self, address: int) -> Region | None:
        return next((each for each in self._regions if each.holds(address, address + 1)), None)

    def _at(self, region: Region, offset: int, item: int) -> dict[str, Any]:
        return {
            "region": "tensor",
            "name": region.name[:1024],
            "region_bytes": region.size,
            "offset_bytes": offset,
            "access_bytes": item,
        }


def _bits(values: Array) -> Array:
    """The values as numbers of 64 bits, to compare also what is no number."""
    item = values.dtype.itemsize
    return np.asarray(np.ascontiguousarray(values).view(f"u{item}").astype(np.uint64))
