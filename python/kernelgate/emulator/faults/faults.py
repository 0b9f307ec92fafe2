"""Faults of a running kernel: reads the line that a dying worker writes, and puts it into words.

In: one JSON line of an untrusted process. Out: a `Fault`, always: what cannot be read is kind "unknown".
The line of the program's sources comes from offsets in a library.
Not here: the handler that writes the line (`runtime/report.cpp`).
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from kernelgate.emulator.faults.fault_line import FaultLine, Limit, RegionKind, Triple
from kernelgate.emulator.faults.fault_words import description, element, own_name, thread_words

POISON_U16 = 0xFFFB  # memory.h writes it four times a word: NaN as half, bfloat16, float and double

_LINE_LIMIT = 8192


@dataclass(frozen=True)
class Fault:
    """`offset_bytes` counts from the region's start, negative before it. `text` is one plain sentence."""

    kind: str
    access: Literal["read", "write"] | None
    kernel: str | None
    block: Triple | None
    thread: Triple | None
    region: RegionKind | None
    region_bytes: int | None
    offset_bytes: int | None
    unit: str | None
    line: int | None
    text: str
    what: str = ""
    """That sentence without thread and line."""
    name: str | None = None
    """The program's name for the memory: a parameter of the kernel, or a __shared__ array."""
    element: str | None = None
    """The accessed bytes, as the program names them: "tile[3][0]"."""
    other_line: int | None = None
    """A second place: the other side of a race, another barrier, where an index overflowed."""
    other_access: Literal["read", "write"] | None = None
    other_block: Triple | None = None
    other_thread: Triple | None = None
    inlined: bool = False
    """The instruction belongs to a header that the program includes, not to its own text."""
    limit: Limit | None = None
    """What a launch has too much of, or none."""


def decode_fault(line: bytes) -> Fault:
    """The fault that `line` reports, with its source line looked up. Never raises."""
    try:
        fault = msgspec.json.decode(line[:_LINE_LIMIT], type=FaultLine)
    except (msgspec.DecodeError, UnicodeDecodeError):
        nothing = (None,) * 9
        return Fault("unknown", *nothing, text="The worker died, and its report could not be read.")
    (place,) = source_places(fault.library, [fault.library_offset])
    unit, number, inlined = place.unit, place.line, place.inlined
    if number is None and fault.line is not None:  # the call itself reports it
        unit, number = fault.launch_unit, fault.line
    (other,) = source_places(fault.other_library, [fault.other_library_offset])
    return Fault(
        fault.kind,
        fault.access,
        fault.kernel,
        fault.block,
        fault.thread,
        fault.region,
        fault.region_bytes,
        fault.offset_bytes,
        unit,
        number,
        _sentence(fault, unit, number),
        description(fault),
        None if fault.name is None else own_name(fault.name),
        element(fault),
        fault.other_line if other.line is None else other.line,
        fault.other_access,
        fault.other_block,
        fault.other_thread,
        inlined,
        fault.limit,
    )


def _sentence(fault: FaultLine, unit: str | None, line: int | None) -> str:
    if fault.kernel is None:
        where = "" if fault.kind in ("write_outside", "endless") else "Host code"
    else:
        where = f"Kernel {fault.kernel}"
        where += f", {thread_words(fault.block, fault.thread)}" if fault.block is not None else ""
    if unit is not None:
        where += f", {unit} line {line}"
    elif fault.launch_unit is not None:
        where += f", launched at {fault.launch_unit} line {fault.launch_line}"
    words = description(fault)
    return f"{where}: {words}." if where else f"{words[0].upper()}{words[1:]}."


UNITS = ("cuda.cu", "main.cpp")
# addr2line of binutils before 2.41 names the compiled file where a table of lines begins in the first named one.
_COMPILED = {"cuda.unit.cpp": "cuda.cu", "main.unit.cpp": "main.cpp"}
_LOOKUP_TIMEOUT_S = 20.0
_PLACE = re.compile(r"([^/\n:]+):(\d+)(?: \(discriminator \d+\))?$")


@dataclass(frozen=True)
class SourcePlace:
    """The innermost frame in the program's sources. `inlined`: others lie further in, in headers."""

    unit: str | None = None
    line: int | None = None
    inlined: bool = False


def source_places(library: str | None, offsets: Sequence[int | None]) -> list[SourcePlace]:
    """A place for each offset. Never raises."""
    nowhere = [SourcePlace()] * len(offsets)
    tool = shutil.which("addr2line")
    if tool is None or library is None:
        return nowhere
    path = Path(library)
    if not path.is_absolute() or path.suffix != ".so" or not path.is_file():
        return nowhere
    asked = [hex(offset) if offset is not None and offset >= 0 else "0x0" for offset in offsets]
    try:
        answer = subprocess.run(
            [tool, "-a", "-i", "-e", library, *asked],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_LOOKUP_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return nowhere
    places = [
        _innermost(frames.splitlines()[1:]) for frames in re.split(r"^(?=0x)", answer.stdout, flags=re.M)[1:]
    ]
    if len(places) != len(offsets):
        return nowhere
    return [SourcePlace() if asked[i] == "0x0" else place for i, place in enumerate(places)]


def _innermost(frames: Sequence[str]) -> SourcePlace:
    for depth, frame in enumerate(frames):
        m = _PLACE.search(frame)
        unit = _COMPILED.get(m[1], m[1]) if m else None
        if m and unit in UNITS:
            return SourcePlace(unit, int(m[2]), depth > 0)
    return SourcePlace()
