"""What a GPU has counted at each line of the person's source, beside what emulation has counted there.

In: readings of ncu, and costs counted in emulation. Out: `LineCost`s. Both are data about the candidate.
Not here: the reading (`tools.ncu_lines`), the counting (`stages.line_costs`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from kernelgate.judge.endings.findings import place_of
from kernelgate.report import Place, one_line
from kernelgate.report.line_facts import GpuCounters, LineCost
from kernelgate.tools.cuobjdump import base_name

if TYPE_CHECKING:
    from kernelgate.judge.endings.findings import Sources
    from kernelgate.program import Candidate
    from kernelgate.tools.ncu_lines import LineReading

_UNIT = "cuda.cu"  # what load_inline has nvcc compile; other files are somebody's headers
_SECTOR_BYTES = 32
_Key = tuple[str, int | None, str, str]


def lines_of(candidate: Candidate, sources: Sources, readings: Sequence[LineReading]) -> list[LineCost]:
    """What ncu counted in the person's lines, those of one kernel, line and kind of access together."""
    from kernelgate.emulator import Fault

    found: dict[_Key, LineCost] = {}
    for reading in readings:
        nothing = (None,) * 5
        fault = Fault("", None, base_name(reading.kernel), *nothing, _UNIT, reading.line, "")
        if Path(reading.file).name != _UNIT:
            continue
        where = place_of(candidate, sources.in_the_text(fault), sources)
        if where.line is None:
            continue
        counters = _counters(reading)
        line = LineCost(
            kernel=one_line(base_name(reading.kernel), 120),
            line=where.line,
            text=marked_text(where),
            space=reading.space,
            access=reading.access,
            **msgspec.structs.asdict(counters),
            gpu=counters,
            counted=False,
        )
        known = found.setdefault(_key(line), line)
        if known is not line:
            _add(known, counters)
    return list(found.values())


def beside(lines: Sequence[LineCost], on_gpu: Sequence[LineCost]) -> list[LineCost]:
    """What emulation has counted, each with the GPU's counters of the same line and kind of access; then what only the
    GPU has."""
    of_gpu = {_key(line): line.gpu for line in on_gpu}
    for line in lines:
        line.gpu = of_gpu.get(_key(line))
    counted = {_key(line) for line in lines}
    return [*lines, *(line for line in on_gpu if _key(line) not in counted)]


def marked_text(where: Place) -> str:
    """The line itself."""
    return next((row.text for row in where.excerpt if row.line == where.line), "").strip()[:400]


def _key(line: LineCost) -> _Key:
    return base_name(line.kernel), line.line, line.space, line.access


def _counters(reading: LineReading) -> GpuCounters:
    return GpuCounters(
        requests=reading.requests,
        lanes=reading.lanes / max(1, reading.requests),
        asked_bytes=_SECTOR_BYTES * reading.least_sectors,
        moved_bytes=_SECTOR_BYTES * reading.sectors,
        passes=reading.passes,
        least_passes=reading.least_passes,
    )


def _add(known: LineCost, more: GpuCounters) -> None:
    """Another instance of a template, or another file that the line was compiled in."""
    before = known.gpu
    assert before is not None
    requests = before.requests + more.requests
    lanes = (before.lanes * before.requests + more.lanes * more.requests) / max(1, requests)
    names = ("asked_bytes", "moved_bytes", "passes", "least_passes")
    sums = {name: getattr(before, name) + getattr(more, name) for name in names}
    known.gpu = GpuCounters(requests=requests, lanes=lanes, **sums)
    for name, value in msgspec.structs.asdict(known.gpu).items():
        setattr(known, name, value)
