"""What a GPU counted at each line of a kernel: the source page of ncu, as data.

In: what `ncu --page source --csv --print-source cuda,sass` printed of a report with the section SourceCounters. Out:
`LineReading`s. A file of a kernel is a block of rows: its path, the kernel's name, the titles, then each line of the
source with the instructions made of it. A line's own row sums its instructions, so only these are read. ncu 2025.3
prints the instructions of each line twice, so an address counts once in a line of a block.
Not here: running ncu (`tools.ncu`), the counting in emulation (`emulator.costs`).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Space = Literal["global", "shared"]
Access = Literal["load", "store", "atomic"]

_TITLES = {
    "L2 Theoretical Sectors Global": "sectors",
    "L2 Theoretical Sectors Global Ideal": "least_sectors",
    "L1 Wavefronts Shared": "passes",
    "L1 Wavefronts Shared Ideal": "least_passes",
    "Instructions Executed": "requests",
    "Predicated-On Thread Instructions Executed": "lanes",
    "Thread Instructions Executed": "lanes_reached",
}
_PREDICATE = re.compile(r"^@!?U?P\w+\s+")
# LD, ST, ATOM: the address says which memory.
_INSTRUCTIONS: dict[str, tuple[tuple[Space, Access], ...]] = {
    "LDG": (("global", "load"),),
    "STG": (("global", "store"),),
    "RED": (("global", "atomic"),),
    "REDG": (("global", "atomic"),),
    "ATOMG": (("global", "atomic"),),
    "LDS": (("shared", "load"),),
    "LDSM": (("shared", "load"),),
    "STS": (("shared", "store"),),
    "STSM": (("shared", "store"),),
    "ATOMS": (("shared", "atomic"),),
    "LDGSTS": (("global", "load"), ("shared", "store")),
    "LD": (("global", "load"), ("shared", "load")),
    "ST": (("global", "store"), ("shared", "store")),
    "ATOM": (("global", "atomic"), ("shared", "atomic")),
}
_OF_BOTH = ("requests", "lanes")
_OF_SPACE = {"global": ("sectors", "least_sectors"), "shared": ("passes", "least_passes")}
_FIGURES = (*_OF_BOTH, *_OF_SPACE["global"], *_OF_SPACE["shared"])


@dataclass(frozen=True)
class LineReading:
    """The accesses of one kind in one line of one kernel, over all launches that were counted.

    `kernel`: as ncu writes it. `file`, `line`: as nvcc compiled them. A request is one instruction of one warp,
    `lanes` took part in all of them together. Global memory: `sectors` of 32 bytes, and those that would do if the
    lanes' addresses followed one another. Shared memory: `passes` over the banks, and those without a conflict.
    """

    kernel: str
    file: str
    line: int
    text: str
    space: Space
    access: Access
    requests: int
    lanes: int
    sectors: int
    least_sectors: int
    passes: int
    least_passes: int

    @property
    def in_vain(self) -> int:
        """Sectors or passes that a better order of addresses would save."""
        if self.space == "global":
            return max(0, self.sectors - self.least_sectors)
        return max(0, self.passes - self.least_passes)


def parsed_lines(text: str) -> list[LineReading]:
    """By kernel, file, line and kind of access, in the order printed. What is of no known form is left out."""
    found: dict[tuple[str, str, int, str, Space, Access], dict[str, int]] = {}
    for kernel, file, line, words, instruction, figures in _instructions(text):
        for space, access in _kinds(instruction, figures):
            names = (*_OF_BOTH, *_OF_SPACE[space])
            sums = found.setdefault((kernel, file, line, words, space, access), dict.fromkeys(_FIGURES, 0))
            sums.update({name: sums[name] + figures.get(name, 0) for name in names})
    return [LineReading(*key, *(sums[name] for name in _FIGURES)) for key, sums in found.items()]


def _instructions(text: str) -> Iterator[tuple[str, str, int, str, str, dict[str, int]]]:
    """Kernel, file, line, its text, an instruction of it, and that one's figures."""
    kernel = file = words = ""
    line: int | None = None
    titles: Sequence[str] = ()
    seen: set[tuple[int, str]] = set()
    for row in csv.reader(text.splitlines()):
        first = row[0].strip() if row else ""
        if first in ("Kernel Name", "Function Name", "File Path") and len(row) > 1:
            kernel, file = (kernel, row[1]) if first == "File Path" else (row[1], file)
            titles, line = (), None
            seen.clear()
        elif "Address" in row and "Source" in row:
            titles, line = [title.strip() for title in row], None
        elif titles and len(row) == len(titles):
            cells = dict(reversed(list(zip(titles, row, strict=True))))  # the first of two with one title
            if cells.get("Line No", "").strip().isdigit():
                line, words = int(cells["Line No"]), cells["Source"].strip()
            instruction, address = _instruction(titles, row), cells["Address"]
            if line is not None and instruction and (line, address) not in seen:
                seen.add((line, address))
                yield kernel, file, line, words, instruction, _figures(titles, row)


def _instruction(titles: Sequence[str], row: Sequence[str]) -> str:
    """The instruction of a row; "" if it has none: the row of a line, or of what is left out ("...")."""
    address = titles.index("Address")
    if not re.fullmatch(r"(0x)?[0-9a-fA-F]+", row[address].strip()):
        return ""
    source = next((i for i, title in enumerate(titles) if title == "Source" and i > address), None)
    return row[source].strip() if source is not None else ""


def _figures(titles: Sequence[str], row: Sequence[str]) -> dict[str, int]:
    figures = {}
    for title, cell in zip(titles, row, strict=True):
        name = _TITLES.get(title)
        if name is not None:
            try:
                figures[name] = round(float(cell.replace(",", "")))
            except ValueError:  # "-", "n/a": the instruction has no such figure
                continue
    figures.setdefault("lanes", figures.get("lanes_reached", 0))
    return figures


def _kinds(instruction: str, figures: dict[str, int]) -> Sequence[tuple[Space, Access]]:
    """The accesses of an instruction; of one with an address of any memory, those that it was seen to make."""
    opcode = re.split(r"[.\s]", _PREDICATE.sub("", instruction), maxsplit=1)[0]
    kinds = _INSTRUCTIONS.get(opcode, ())
    if opcode not in ("LD", "ST", "ATOM"):
        return kinds
    seen = {"global": figures.get("sectors", 0), "shared": figures.get("passes", 0)}
    return [kind for kind in kinds if seen[kind[0]]]
