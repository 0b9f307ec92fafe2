"""Blocks of more threads than a GPU has, as a program writes them, made small enough.

In: a candidate. Out: its Python with 1024 threads a block at most, or None where a block's size is not written out.
Not here: that a launch has failed for it (`build.exception_advice`, `judge.failures`). The judge proves the change.
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
    if block.isdigit():
        if int(block) <= MOST_THREADS:
            return None
        written = re.compile(rf"<<<\s*{re.escape(grid)}\s*,\s*{block}\b")
        return written.sub(lambda found: _counted(found.group(), int(block)), python)
    if not re.fullmatch(r"\w+", block):
        return None
    return _of_definition(python, block)


def _counted(text: str, threads: int) -> str:
    """A configuration with fewer threads, also where the grid rounds up by them."""
    text = re.sub(rf"\b{threads}\b", str(MOST_THREADS), text)
    return re.sub(rf"\b{threads - 1}\b", str(MOST_THREADS - 1), text)


def _of_definition(python: str, name: str) -> str | None:
    """Where the one definition of a block's size gives it as numbers."""
    defined = rf"(?:\b{name}\s*=\s*|\bdim3\s+{name}\s*\(\s*|#[ \t]*define\s+{name}\s+)"
    sizes = re.search(rf"{defined}(\d+(?:\s*,\s*\d+)*)(?=\s*[;)\n])", python)
    if sizes is None or len(re.findall(defined, python)) != 1:
        return None
    numbers = [int(each) for each in sizes.group(1).split(",")]
    smaller = list(numbers)
    while _product(smaller) > MOST_THREADS:
        largest = smaller.index(max(smaller))
        smaller[largest] = max(1, MOST_THREADS if len(smaller) == 1 else smaller[largest] // 2)
    if smaller == numbers:
        return None
    return f"{python[: sizes.start(1)]}{', '.join(map(str, smaller))}{python[sizes.end(1) :]}"


def _product(numbers: list[int]) -> int:
    result = 1
    for each in numbers:
        result *= each
    return result
