"""The line of a program's own sources that an instruction belongs to.

In: a library and offsets in it, from an untrusted process. Out: units and lines; nothing if that is not known.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

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
