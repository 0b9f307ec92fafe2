"""What a line costs a GPU's memory, in words, and what would help. Never a time.

In: `LineCost`s. Out: short phrases and sentences that the record, HTML and text share.
Not here: the counting (`emulator.costs`).
"""

from __future__ import annotations

from collections.abc import Sequence

from kernelgate.report import numbers
from kernelgate.report.line_facts import GpuCounters, LineCost

SECTOR_BYTES = 32
WARP_LANES = 32
# Less is ordinary: a warp at the end of a tensor, a row that begins within a sector.
_WASTEFUL = 0.75  # of the bytes moved
_CONFLICT = 1.5  # passes a pass needed
_FEW_LANES = 24
_CROWD = 2.0  # lanes at one address
_MOST_MARKS = 5


def cost(line: LineCost) -> str:
    """32 sectors for 128 bytes: global memory, of an average request. 32-way bank conflict: shared memory. As
    emulation has counted, if it has."""
    return _cost(line, line) if line.counted else ""


def gpu_cost(line: LineCost) -> str:
    """The same as ncu has counted on the GPU, if it has."""
    return _cost(line, line.gpu) if line.gpu is not None else ""


def _cost(line: LineCost, counts: LineCost | GpuCounters) -> str:
    parts = []
    if line.space == "global" and counts.requests:
        sectors = counts.moved_bytes / SECTOR_BYTES / counts.requests
        used = counts.asked_bytes / counts.requests
        parts.append(f"{_plain(sectors)} {_plural('sector', sectors)} for {_plain(used)} bytes")
    elif counts.least_passes:
        ways = counts.passes / counts.least_passes
        parts.append(f"{_plain(ways)}-way bank conflict" if ways > 1 else "no bank conflict")
    if counts is line and line.same_address:
        parts.append(f"{_plain(line.same_address)} {_plural('lane', line.same_address)} at one address")
    return ", ".join(parts)


def lanes(line: LineCost) -> str:
    """16 of 32"""
    return f"{_plain(line.lanes)} of {WARP_LANES}"


def place(line: LineCost) -> str:
    """line 12, global load"""
    where = f"line {line.line}, " if line.line is not None else ""
    return f"{where}{line.space} {line.access}"


def advice(line: LineCost) -> str:
    """What would help, in one sentence; nothing if nothing is lost."""
    if line.access == "atomic" and line.same_address > _CROWD:
        return (
            "Lanes of a warp update one address one after another: add within the warp first, by "
            "__shfl_down_sync, and let one lane update"
        )
    if line.space == "global" and line.asked_bytes < _WASTEFUL * line.moved_bytes and _excess_sectors(line):
        if line.lanes < _FEW_LANES:
            return "Few lanes share what is moved: let whole warps come here, each lane at the next address"
        return _nearer(line)
    if line.space == "shared" and line.passes >= _CONFLICT * line.least_passes:
        return (
            "Lanes want different words of one bank: make the row one element longer, as in s[32][33], or let "
            "neighbouring lanes read neighbouring words"
        )
    if line.lanes < _FEW_LANES:
        return "Part of each warp waits: put the condition between warps, or give every lane its share"
    return ""


def _nearer(line: LineCost) -> str:
    """What brings the addresses of neighbouring lanes together."""
    stride, used = line.stride_bytes, line.asked_bytes / max(1.0, line.requests * line.lanes)
    if 0 < stride < SECTOR_BYTES:
        return (
            f"Neighbouring lanes are {stride} bytes apart and each uses {_plain(used)} of them: let them use "
            "neighbouring elements, load the fields of a struct together, as a float4, or keep an array for each field"
        )
    apart = f"{numbers.thousands(stride)} bytes apart" if stride else "far apart"
    return (
        f"Neighbouring lanes are {apart}: let threadIdx.x choose the last index, by swapping indices or loops, "
        "or go through a tile of shared memory"
    )


def worst(lines: Sequence[LineCost]) -> list[LineCost]:
    """Those that an editor marks: the costliest at which something helps. `lines`: the costliest first."""
    return [line for line in lines if line.line is not None and advice(line)][:_MOST_MARKS]


def mark(line: LineCost) -> str:
    """Global load: 32 sectors for 128 bytes"""
    found = cost(line) or gpu_cost(line)
    words = found if line.lanes >= _FEW_LANES else f"{found}, {lanes(line)} lanes"
    return f"{line.space.capitalize()} {line.access}: {words}"


def costliest_first(lines: Sequence[LineCost]) -> list[LineCost]:
    """By what they move or pass in vain, then as in the source."""
    return sorted(lines, key=lambda line: (-_in_vain(line), line.line or 0, line.space, line.access))


def conclusion(lines: Sequence[LineCost]) -> str:
    """line 12 costs most in vain: global load, 32 sectors for 128 bytes"""
    worst = next((line for line in lines if line.line is not None and advice(line)), None)
    if worst is None:
        return "no line moves or waits for much in vain"
    return f"line {worst.line} costs most in vain: {worst.space} {worst.access}, {cost(worst) or gpu_cost(worst)}"


def _in_vain(line: LineCost) -> float:
    """Sectors, passes and updates that a better order of addresses would save."""
    updates = max(0.0, line.same_address - 1) * line.requests if line.access == "atomic" else 0.0
    return _excess_sectors(line) + max(0, line.passes - line.least_passes) + updates


def _excess_sectors(line: LineCost) -> float:
    if line.space != "global":
        return 0.0
    return max(0.0, (line.moved_bytes - line.asked_bytes) / SECTOR_BYTES - line.requests)


def _plain(value: float) -> str:
    """4, 4.5, 31.8: one digit behind the point, if it is not a whole number."""
    rounded = round(value, 1)
    return numbers.thousands(round(rounded)) if rounded == round(rounded) else f"{rounded:.1f}"


def _plural(thing: str, count: float) -> str:
    return thing if round(count, 1) == 1 else f"{thing}s"
