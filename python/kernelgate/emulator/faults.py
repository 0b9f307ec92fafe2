"""Faults of a running kernel: the line that a dying worker writes, read and put into words.

In: one JSON line of an untrusted process. Out: a `Fault`, always: what cannot be read is kind "unknown".
Not here: the handler that writes the line (`runtime/report.cpp`).
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import msgspec

POISON_U16 = 0xFFFB  # memory.h writes it four times a word: NaN as half, bfloat16, float and double

Triple = tuple[int, int, int]
_LINE_LIMIT = 8192
_LOOKUP_TIMEOUT_S = 20.0
_UNITS = ("cuda.cu", "main.cpp")
_PLACE = re.compile(r"([^/\n:]+):(\d+)(?: \(discriminator \d+\))?$")


@dataclass(frozen=True)
class Fault:
    """`offset_bytes` counts from the region's start, negative before it. `text` is one plain sentence."""

    kind: str
    access: Literal["read", "write"] | None
    kernel: str | None
    block: Triple | None
    thread: Triple | None
    region: str | None
    region_bytes: int | None
    offset_bytes: int | None
    unit: str | None
    line: int | None
    text: str


_Word = Annotated[str, msgspec.Meta(max_length=1024)]
_Kind = Literal["out_of_bounds", "misaligned", "null", "stack_overflow", "division_by_zero", "write_outside"]
_Region = Literal["tensor", "__shared__ array", "dynamic __shared__ array"]


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    kind: _Kind
    access: Literal["read", "write"] | None = None
    kernel: _Word | None = None
    launch_unit: _Word | None = None
    launch_line: int | None = None
    block: Triple | None = None
    thread: Triple | None = None
    region: _Region | None = None
    region_bytes: int | None = None
    offset_bytes: int | None = None
    library: Annotated[str, msgspec.Meta(max_length=4096)] | None = None
    library_offset: int | None = None


def decode_fault(line: bytes) -> Fault:
    """The fault that `line` tells, with its source line looked up. Never raises."""
    try:
        told = msgspec.json.decode(line[:_LINE_LIMIT], type=_Line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        nothing = (None,) * 9
        return Fault("unknown", *nothing, text="The worker died, and its report could not be read.")
    unit, number = _source_place(told.library, told.library_offset)
    region = None if told.region is None else f"{told.region} of {told.region_bytes} bytes"
    return Fault(
        told.kind,
        told.access,
        told.kernel,
        told.block,
        told.thread,
        region,
        told.region_bytes,
        told.offset_bytes,
        unit,
        number,
        _sentence(told, unit, number),
    )


def _source_place(library: str | None, offset: int | None) -> tuple[str | None, int | None]:
    """Unit and line of an address: the innermost frame in the user's sources (the shim is inlined)."""
    tool = shutil.which("addr2line")
    if tool is None or library is None or offset is None or offset < 0:
        return None, None
    path = Path(library)
    if not path.is_absolute() or path.suffix != ".so" or not path.is_file():
        return None, None
    try:
        answer = subprocess.run(
            [tool, "-i", "-e", library, hex(offset)],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_LOOKUP_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None, None
    for frame in answer.stdout.splitlines():
        m = _PLACE.search(frame)
        if m and m[1] in _UNITS:
            return m[1], int(m[2])
    return None, None


def _sentence(told: _Line, unit: str | None, line: int | None) -> str:
    if told.kernel is None:
        where = "" if told.kind == "write_outside" else "Host code"
    else:
        where = f"Kernel {told.kernel}, block {told.block}, thread {told.thread}"
    if unit is not None:
        where += f", {unit} line {line}"
    elif told.launch_unit is not None:
        where += f", launched at {told.launch_unit} line {told.launch_line}"
    what = _what(told)
    return f"{where}: {what}." if where else f"{what[0].upper()}{what[1:]}."


def _what(told: _Line) -> str:
    access = told.access or "access"
    match told.kind:
        case "null":
            return f"{access} through a null pointer"
        case "misaligned":
            return "access to an address that is not a multiple of the access's size (float4 needs 16 bytes)"
        case "stack_overflow":
            return "thread stack overflow (64 KB in emulation): local arrays too large, or recursion too deep"
        case "division_by_zero":
            return "integer division by zero (a GPU does not trap here, its result is undefined)"
        case "write_outside":
            return f"something wrote {_distance(told)}"
        case _ if told.region is None:
            return f"{access} at an address that belongs to no tensor"
        case _:
            return f"{access} {_distance(told)}"


def _distance(told: _Line) -> str:
    offset, size = told.offset_bytes or 0, told.region_bytes or 0
    region = f"a {told.region} of {size} bytes"
    if offset < 0:
        return f"{-offset} bytes before the start of {region}"
    return f"{offset - size} bytes past the end of {region}"
