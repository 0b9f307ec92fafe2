"""What each line of a kernel costs a GPU's memory, as an examined run has counted it. Never a time.

In: JSON lines of an untrusted process (`runtime/costs.cpp` writes them, one an instruction). Out: `LineCost`s.
Not here: what they mean for the person (`report.cost_words`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec

from kernelgate.emulator.faults.faults import source_places

Access = Literal["load", "store", "atomic"]
Space = Literal["global", "shared"]

_Total = Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)]
_MOST_LINES = 4096


class _Instruction(msgspec.Struct, forbid_unknown_fields=True):
    kernel: Annotated[str, msgspec.Meta(max_length=1024)]
    space: Space
    access: Access
    access_bytes: Annotated[int, msgspec.Meta(ge=1, le=2**20)]
    requests: _Total
    lanes: _Total
    sectors: _Total
    asked_bytes: _Total
    passes: _Total
    least_passes: _Total
    most_passes: _Total
    same_address: _Total
    stride: _Total
    cut: Literal[0, 1]
    library: Annotated[str, msgspec.Meta(max_length=4096)] | None = None
    library_offset: int | None = None


@dataclass(frozen=True)
class LineCost:
    """The accesses of one kind in one line of one kernel, over the whole run.

    A request is one instruction of one warp. `lanes`: that took part, in all requests together. Global memory:
    `sectors` of 32 bytes that the requests touch, `asked_bytes` that their lanes use of them. Shared memory: `passes`
    over the banks, of which `least_passes` would do without a conflict, and the `most_passes` of one group of lanes.
    Atomics: `same_address` sums, over the requests, the most lanes at one address. `stride`: the bytes between most
    neighbouring lanes, in global memory; 0 if there is no such distance. `cut`: a block had more accesses than are
    counted.
    """

    kernel: str
    unit: str
    line: int
    space: Space
    access: Access
    access_bytes: int
    requests: int
    lanes: int
    sectors: int
    asked_bytes: int
    passes: int
    least_passes: int
    most_passes: int
    same_address: int
    stride: int
    cut: bool


def decode_costs(lines: Sequence[bytes]) -> list[LineCost]:
    """The costs by kernel, line and kind of access, in the order of lines. What cannot be read is left out."""
    decoded = []
    for line in lines[:_MOST_LINES]:
        try:
            decoded.append(msgspec.json.decode(line, type=_Instruction))
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
    found: dict[tuple[str, str, int, Space, Access], list[_Instruction]] = {}
    for library in {one.library for one in decoded}:
        of_library = [one for one in decoded if one.library == library]
        places = source_places(library, [one.library_offset for one in of_library])
        for one, place in zip(of_library, places, strict=True):
            if place.unit is not None and place.line is not None:
                key = (one.kernel, place.unit, place.line, one.space, one.access)
                found.setdefault(key, []).append(one)
    return [_sum(key, found[key]) for key in sorted(found, key=lambda key: (key[1], key[2], key[0]))]


def _sum(key: tuple[str, str, int, Space, Access], parts: Sequence[_Instruction]) -> LineCost:
    kernel, unit, line, space, access = key
    return LineCost(
        kernel,
        unit,
        line,
        space,
        access,
        max(part.access_bytes for part in parts),
        sum(part.requests for part in parts),
        sum(part.lanes for part in parts),
        sum(part.sectors for part in parts),
        sum(part.asked_bytes for part in parts),
        sum(part.passes for part in parts),
        sum(part.least_passes for part in parts),
        max(part.most_passes for part in parts),
        sum(part.same_address for part in parts),
        parts[0].stride if len({part.stride for part in parts}) == 1 else 0,
        any(part.cut for part in parts),
    )
