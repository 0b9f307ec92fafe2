"""What a report says if a reference cannot be used.

In: what went wrong with it. Out: the end of a run in which nothing was judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from kernelgate.check.problem import ProblemError, strange_words
from kernelgate.judge.endings.device_memory import Room
from kernelgate.judge.endings.run_ended import NotJudged, RunEnded, TooLarge
from kernelgate.report import ExcerptLine, Place, one_line


def too_large(shape: str, room: Room | None = None) -> TooLarge:
    """`room`: of the device, before the run took any."""
    words = f"; of the device's memory {room.words}" if room is not None else ""
    return TooLarge.here(
        "the problem does not fit into the device's memory",
        f"There was not enough memory to judge it at {shape}{words}",
        "Free memory on the device, or ask for smaller sizes with --shape or --set",
        "check",
    )


def no_memory(exc: Exception) -> RunEnded:
    """There is too little memory even to begin."""
    what, step = f"There was not enough memory to begin: {exc}", "Free memory on the device"
    return NotJudged.here("too little memory is free", what, f"{step}: other notebooks and programs may hold it")


def no_result(value: Any, tensors: Sequence[torch.Tensor]) -> RunEnded | None:
    """For a result that holds no tensor, or one that cannot be compared; None for any other."""
    strange = next((words for one in tensors if (words := strange_words(one))), "")
    if tensors and not strange:
        return None
    words = f"a tensor {strange}" if strange else f"{type(value).__name__}, which holds no tensor"
    return NotJudged.here(
        f"the reference returns {words}",
        "A result is compared by the tensors in it, dense and of usual dtypes",
        "Return a tensor, or tensors in a list, tuple or dictionary",
        "check",
    )


def cannot_be_given(value: Any) -> RunEnded:
    """An argument of the reference's that no other process can be given."""
    name = getattr(value, "__qualname__", None) or type(value).__name__
    return NotJudged.here(
        f"the reference takes {one_line(name, 200)}, which cannot be sent to another process",
        "A program gets tensors, numbers, text, named tuples, dataclasses and functions of installed packages",
        "Make it in the reference's constructor, and give what it is made from",
        "check",
    )


def unusable(exc: ProblemError, label: str, text: str, first_line: int = 1) -> RunEnded:
    """`first_line`: the line of its file or cell at which the text begins; lines above the first are ours."""
    lines = text.split("\n")
    excerpt = []
    line = exc.line + first_line - 1 if exc.line is not None and exc.line + first_line > 1 else None
    if exc.line is not None and line is not None and exc.line <= len(lines):
        excerpt = [ExcerptLine(line=line, text=one_line(lines[exc.line - 1], 400), marked=True)]
    where = Place(label=one_line(label, 120), line=line, excerpt=excerpt)
    return NotJudged.here(exc.what, exc.what, exc.next_step, where=where)
