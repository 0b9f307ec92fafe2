"""The profile stage without a GPU: what each line of the kernels costs a GPU's memory, counted in emulation.

In: a run whose cases have passed. Out: a `Profile` with `lines`, or with a note that says why there are none. What a
worker says of its accesses is data about the candidate; nothing is decided by it.
Not here: the counting (`emulator`), the words (`report.cost_words`), a device's own counters (`stages.profile`).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kernelgate.backend.target import EMULATED
from kernelgate.check.cases import case_seed
from kernelgate.check.nesting import shape_words
from kernelgate.judge.findings import cost_place
from kernelgate.judge.model_in_worker import ModelInWorker
from kernelgate.judge.run_context import RunContext
from kernelgate.judge.run_ended import RunEnded
from kernelgate.messages.worker import Answer, Call, Request, Returned
from kernelgate.report import one_line
from kernelgate.report.cost_words import costliest_first
from kernelgate.report.line_facts import LineCost
from kernelgate.report.measured import Profile

if TYPE_CHECKING:
    from kernelgate.emulator import LineCost as Counted
    from kernelgate.judge.findings import Sources

_MOST_LINES = 48
_DOING = "being counted"


def line_costs(run: RunContext) -> Profile:
    """Never raises RunEnded: what ends the counting is the note."""
    from kernelgate.emulator import decode_costs

    run.live.begin("profile", 1)
    run.live.doing("Counting what each line costs", at_once=True)
    worker = run.worker.another()
    until = time.monotonic() + run.job.limits.examine_s

    def left_s() -> float:
        return max(0.1, until + worker.building_s - time.monotonic())

    def ask(request: Request, descriptors: Sequence[int], doing: str) -> tuple[Answer, list[int]]:
        return worker.ask(request, descriptors, "profile", doing, left_s())

    model = ModelInWorker(ask, run.reference)
    run.worker.close()  # two at once would share the processor and the memory
    plans = run.reference.plans
    plan = plans[min(1, len(plans) - 1)]
    try:
        worker.start(EMULATED, examine=True, limit_s=left_s())
        model.construct(doing=_DOING)
        inputs = run.reference.inputs(plan, case_seed(run.seed, "line costs"))
        given = model.arguments(inputs)
        with model.send(
            Returned, Call(inputs=given.values, manner="counted"), given.descriptors, _DOING
        ) as got:
            counted = decode_costs([line.encode() for line in got.answer.costs])
    except RunEnded as end:
        return Profile(note=one_line(f"costs were not counted: {end.sentence}", 600))
    finally:
        worker.close()
    return _profile(run, counted, worker.sources, shape_words(inputs))


def _profile(run: RunContext, counted: Sequence[Counted], sources: Sources, shape: str) -> Profile:
    lines = costliest_first([_line(run, one, sources) for one in counted])
    note = f"counted in emulation on {shape}"
    if any(one.cut for one in counted):
        note += "; of blocks with more accesses than are kept, only the first are counted"
    if not lines:
        note = "no kernel of the program touched memory"
    return Profile(lines=lines[:_MOST_LINES], note=one_line(note, 600))


def _line(run: RunContext, one: Counted, sources: Sources) -> LineCost:
    where = cost_place(run.candidate, one, sources)
    marked = next((row.text for row in where.excerpt if row.line == where.line), "")
    return LineCost(
        kernel=one_line(one.kernel, 120),
        line=where.line,
        text=marked.strip()[:400],
        space=one.space,
        access=one.access,
        requests=one.requests,
        lanes=one.lanes / max(1, one.requests),
        asked_bytes=one.asked_bytes,
        moved_bytes=32 * one.sectors,
        passes=one.passes,
        least_passes=one.least_passes,
        same_address=one.same_address / max(1, one.requests),
    )
