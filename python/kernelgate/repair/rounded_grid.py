"""Grids of too few blocks: a launch whose number of blocks is a quotient rounded down leaves the last part undone.

In: a candidate. Out: its Python with such quotients rounded up, and the first one's line; None where there is none.
Not here: that a result is wrong (`judge.verdict`). The judge proves the change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernelgate.cuda_source import functions
from kernelgate.program.candidate import Candidate
from kernelgate.program.literals import Literal
from kernelgate.repair import rewrites

_QUOTIENT = re.compile(r"(?P<count>[A-Za-z_][\w.]*(?:\(\w?\))?)\s*/\s*(?P<each>[A-Za-z_]\w*|\d+)")


def rounded_up(candidate: Candidate) -> tuple[str, int] | None:
    """Where a quotient is a name's whole value, or a part of a dim3, that a launch takes as its grid."""
    for literal in candidate.literals:
        statements = list(dict.fromkeys(_rounded_down(literal)))
        pattern = "|".join(re.escape(text) for text, _ in statements)
        if not statements:
            continue
        changed = rewrites.replaced_in_source(candidate, literal.value, pattern, lambda found: _up(found.group()))
        if changed is not None:
            return changed, min(literal.line_of(line) for _, line in statements)
    return None


def _up(statement: str) -> str:
    return _QUOTIENT.sub(
        lambda found: f"({found['count']} + {found['each']} - 1) / {found['each']}", statement
    )


def _rounded_down(literal: Literal) -> Iterator[tuple[str, int]]:
    """The statements, or the grids as they stand in a launch, with a quotient; each with its line in the source."""
    seen = functions.blank(literal.value)
    for launch in functions.launches(literal.value):
        waiting, known = [launch.configuration[0]], set[str]()
        while waiting:
            grid = waiting.pop()
            inline = re.fullmatch(r"dim3\s*[({](.*)[)}]", grid, re.DOTALL)
            for part in functions.split(inline[1] if inline else grid, ","):
                name = part.strip()
                if _is_by_threads(seen, name):
                    at = seen.find(grid)
                    yield grid, functions.line_at(seen, at)
                elif re.fullmatch(r"[A-Za-z_]\w*", name) and name not in known:
                    known.add(name)
                    yield from _defined(seen, name, waiting)


def _is_by_threads(seen: str, value: str) -> bool:
    """Whether a value is a quotient by a number of threads or elements. One by a tensor's size, such as
    `x.numel() / x.size(-1)`, counts rows, and leaves nothing over."""
    found = _QUOTIENT.fullmatch(value)
    return found is not None and not re.search(
        rf"\b{found['each']}\s*=[^;=]*\.\s*(?:size|sizes|stride|numel)\s*\(", seen
    )


def _defined(seen: str, name: str, waiting: list[str]) -> Iterator[tuple[str, int]]:
    """The one definition of a name, where it is a quotient; its parts wait, where it is a dim3."""
    found = list(re.finditer(rf"\b{name}\s*(?:=\s*([^;=]+)|[({{]([^;]*)[)}}])\s*;", seen))
    if len(found) != 1:
        return
    value = (found[0][1] or found[0][2]).strip()
    inline = re.fullmatch(r"dim3\s*[({](.*)[)}]", value, re.DOTALL)
    parts = [part.strip() for part in functions.split(inline[1] if inline else value, ",")]
    if any(_is_by_threads(seen, part) for part in parts):
        yield found[0].group(), functions.line_at(seen, found[0].start())
    waiting.extend(part for part in parts if re.fullmatch(r"[A-Za-z_]\w*", part))
