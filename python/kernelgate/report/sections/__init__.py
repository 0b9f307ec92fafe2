"""The sections of a report, from its data: what text, HTML and the front end show below the verdict, written once.

In: a `Report`. Out: its `Section`s, in the order in which they are read. A new section is a function here, and no more.
Not here: how blocks are drawn (`report.html`, `src/report/blocks`), the verdict, its facts and its failure.
"""

from __future__ import annotations

from collections.abc import Callable

from kernelgate.report.blocks import Section
from kernelgate.report.sections import correctness, faster, profile, run, sizes, timing
from kernelgate.report.types import Report

ALL: tuple[Callable[[Report], Section | None], ...] = (
    timing.times,
    faster.faster,
    correctness.correctness,
    timing.timing,
    sizes.sizes,
    timing.limit,
    timing.training,
    profile.profile,
    profile.device_code,
    run.output,
    run.details,
)


def sections_of(report: Report) -> list[Section]:
    """While a run goes on, only the times: what stands there does not change under a person's eyes."""
    wanted = ALL if report.verdict is not None else (timing.times,)
    return [section for of in wanted if (section := of(report)) is not None]
