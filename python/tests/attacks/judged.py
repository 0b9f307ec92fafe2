"""Judges a program of the corpus on a device, and says whether its verdict is the one that its docstring names.

In: a `Program`. Out: a report; what is not as expected, in words. The tests and bench/corpus.py judge alike.
"""

from __future__ import annotations

import os

from kernelgate.report import Report
from kernelgate.run import Job, Limits, new_run_id, run

from .corpus import Device, Program

# Small enough for many runs, large enough for several blocks and tiles.
_SHAPES = {"leakyrelu": (512, 8192), "gemm_scale_leakyrelu": (256, 1024, 1024)}
AT_ONCE = min(6, os.cpu_count() or 1)
"""Runs side by side. One has up to five processes, and each takes half a GiB of a GPU for CUDA alone."""
_WATCHED = (1, 2, 5)
"""Classes of which the verdict depends on what else the machine does: work that is left, and many calls in a time."""


def shape_of(program: Program, device: str) -> tuple[int, ...] | None:
    """The problem's size in a run; None for the one that emulation takes."""
    return _SHAPES.get(program.problem) if device == "cuda" else None


def judge(program: Program, device: Device, limits: Limits | None = None) -> Report:
    return run(
        Job(
            run=new_run_id(),
            text=program.text,
            label=f"{program.name}.py",
            problem=program.problem or None,
            reference=program.reference or None,
            reference_label="problem.py" if program.reference else "",
            contract=program.contract,  # type: ignore[arg-type]
            device=device,
            all_values=program.asks == "all values",
            every_size=program.asks == "all sizes",
            shape=shape_of(program, device),
            limits=limits or Limits(),
        )
    )


def wants_quiet(program: Program) -> bool:
    """Whether it is judged alone, where what else runs should not matter."""
    return program.number in _WATCHED


def _left_open(report: Report) -> str:
    """Why gates gave no answer: one of them may have been the one to find it."""
    return "".join(
        f"; {gate.name}: {gate.message}" for gate in report.gates if gate.outcome not in ("pass", "fail")
    )


def differs(program: Program, device: Device, report: Report) -> str:
    """How the verdict is not the one that the docstring names; "" where it is."""
    verdict = report.verdict
    if verdict is None:
        return "no verdict"
    if verdict.outcome != program.outcome:
        return f"{verdict.outcome} instead of {program.outcome}: {verdict.sentence}{_left_open(report)}"
    words = program.words(device)
    # Of one that gets through today, any such verdict is news.
    return "" if program.slips or words in verdict.sentence else f"“{words}” is not in: {verdict.sentence}"


def unexpected(program: Program, device: Device, report: Report) -> str:
    """The same, where a program that is marked so gets through, and chance may decide of one that wavers."""
    found = differs(program, device, report)
    if program.slips:
        return "" if found else "it no longer gets through"
    return "" if program.wavers else found
