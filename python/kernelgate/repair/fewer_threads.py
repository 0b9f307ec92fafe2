"""Blocks of more threads than a GPU has, as a program writes them, made small enough.

In: a candidate. Out: its Python with 1024 threads a block at most, or None where a block's size is not written out.
Not here: that a launch has failed for it (`repair.exception_advice`, `judge.endings.failures`). The
judge proves the change.
"""

from __future__ import annotations

import re

from kernelgate.cuda_source import functions
from kernelgate.program.candidate import Candidate

MOST_THREADS = 1024


def fewer_threads(candidate: Candidate) -> str | None:
    """Every launch with a block that is too large, with the largest that is allowed."""
    python = candidate.python
    for literal in candidate.literals:
        for launch in functions.launches(literal.value):
            if len(launch.configuration) > 1:
                python = _smaller(python, launch.configuration) or python
    return python if python != candidate.python else None


def _smaller(python: str, configuration: tuple[str, ...]) -> str | None:
    grid, block = configuration[0], configuration[1]
    inline = re.fullmatch(r"dim3\s*[({]([\w\s,]*)[)}]", block)
    if block.isdigit():
        if int(block) <= MOST_THREADS:
            return None
        # A kernel's template may take the same number: reduce<2048><<<n, 2048>>>.
        written = re.compile(rf"(?:<[^;<>]*>\s*)?<<<\s*{re.escape(grid)}\s*,\s*{block}\b")
        return written.sub(lambda found: _counted(found.group(), int(block)), python)
    if inline is not None:
        begin = python.find(block)
        return _of_sizes(python, begin + inline.start(1), inline.group(1)) if begin >= 0 else None
    if not re.fullmatch(r"\w+", block):
        return None
    defined = rf"(?:\b{block}\s*=\s*(?:dim3\s*[({{]\s*)?|\bdim3\s+{block}\s*[({{]\s*|#[ \t]*define\s+{block}\s+)"
    sizes = re.search(rf"{defined}(\w+(?:\s*,\s*\w+)*)(?=\s*[;)}}\n])", python)
    if sizes is None or len(re.findall(defined, python)) != 1:
        return None
    return _of_sizes(python, sizes.start(1), sizes.group(1))


def _counted(text: str, threads: int) -> str:
    """A configuration with fewer threads, also where the grid rounds up by them."""
    text = re.sub(rf"\b{threads}\b", str(MOST_THREADS), text)
    return re.sub(rf"\b{threads - 1}\b", str(MOST_THREADS - 1), text)


def _of_sizes(python: str, begin: int, written: str) -> str | None:
    """The sizes of a block, which stand at `begin`, made smaller: numbers there, names where each is defined."""
    parts = [part.strip() for part in written.split(",")]
    at = dict[str, tuple[int, int]]()
    for name in (part for part in parts if not part.isdigit()):
        place = _definition(python, name)
        if place is None:
            return None
        at[name] = place
    numbers = {part: int(part) if part.isdigit() else int(python[at[part][0] : at[part][1]]) for part in parts}
    smaller = _within_limit(parts, numbers)
    if smaller == numbers:
        return None
    changes = [(first, last, str(smaller[name])) for name, (first, last) in at.items()]
    text = re.sub(r"\b\d+\b", lambda found: str(smaller.get(found.group(), found.group())), written)
    changes.append((begin, begin + len(written), text))
    for first, last, new in sorted(changes, reverse=True):
        python = python[:first] + new + python[last:]
    return python


def _within_limit(parts: list[str], numbers: dict[str, int]) -> dict[str, int]:
    smaller = dict(numbers)
    while (threads := _product([smaller[part] for part in parts])) > MOST_THREADS:
        largest = max(parts, key=lambda part: smaller[part])
        smaller[largest] = MOST_THREADS if threads == smaller[largest] else smaller[largest] // 2
    return smaller


def _definition(python: str, name: str) -> tuple[int, int] | None:
    """Where the one definition of a name gives it as a number."""
    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        return None
    defined = rf"(?:\b{name}\s*=\s*|#[ \t]*define\s+{name}\s+)"
    found = re.search(rf"{defined}(\d+)(?=\s*(?:[;,)\n]|//))", python)
    return found.span(1) if found is not None and len(re.findall(defined, python)) == 1 else None


def _product(numbers: list[int]) -> int:
    result = 1
    for each in numbers:
        result *= each
    return result
