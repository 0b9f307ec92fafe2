"""What each line of the kernels costs a GPU's memory, for the profile stage: counted in emulation, beside it by a GPU.

In: a run whose cases have passed, and what ncu read at the lines, if there is a GPU. Out: a `Profile` with `lines`, or
with a note that says why there are none. What a worker says of its accesses, and what ncu says of its kernels, is data
about the candidate; nothing is decided by it.
Not here: the counting (`emulator`, `tools.ncu`), the words (`report.cost_words`).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from kernelgate.backend.target import EMULATED
from kernelgate.check.inputs.cases import case_seed
from kernelgate.check.nesting import shape_words
from kernelgate.emulator import LineCost as Counted
from kernelgate.emulator import decode_costs, supported
from kernelgate.judge.candidate.model_in_worker import ModelInWorker
from kernelgate.judge.endings.findings import Sources, place_of, read_at
from kernelgate.judge.endings.run_ended import RunEnded
from kernelgate.judge.reference.affordable import at_sizes
from kernelgate.judge.reference.reference import Reference
from kernelgate.judge.run_context import RunContext
from kernelgate.messages.worker import Answer, Call, Request, Returned
from kernelgate.program import Candidate
from kernelgate.report import Place, one_line
from kernelgate.report.cost_words import costliest_first
from kernelgate.report.line_facts import GpuCounters, LineCost
from kernelgate.report.measured import Profile
from kernelgate.tools.cuobjdump import base_name
from kernelgate.tools.ncu_lines import LineReading

_MOST_LINES = 48
_DOING = "being counted"


def line_costs(run: RunContext) -> Profile:
    """Never raises RunEnded: what ends the counting is the note."""
    run.live.begin("profile", 1)
    run.worker.close()  # two at once would share the processor and the memory
    counted, sources, shape, why = _counted(run, run.reference)
    if why:
        return Profile(note=one_line(f"costs were not counted: {why}", 600))
    lines = costliest_first([_line(run, one, sources) for one in counted])
    note = f"counted in emulation on {shape}"
    if any(one.cut for one in counted):
        note += "; of blocks with more accesses than are kept, only the first are counted"
    if not lines:
        note = "no kernel of the program touched memory"
    return Profile(lines=lines[:_MOST_LINES], note=one_line(note, 600))


def add_line_costs(run: RunContext, profile: Profile, readings: Sequence[LineReading]) -> None:
    """Puts lines into a GPU's profile: what emulation counts of the same program at the size for it, and beside it what
    ncu read. Never raises RunEnded: what ends the counting is a part of the note."""
    if not run.worker.built:
        return
    on_gpu = lines_of(run.candidate, run.worker.sources, readings)
    counted: list[Counted] = []
    sources, shape, why = run.worker.sources, "", supported() or ""
    if not why:
        try:
            counted, sources, shape, why = _counted(run, run.in_emulation())
        except RunEnded as end:
            why = end.sentence
    lines = [_line(run, one, sources) for one in counted]
    profile.lines = costliest_first(beside(lines, on_gpu))[:_MOST_LINES]
    words = f"lines were counted in emulation on {shape}"
    if why:
        words = f"lines were not counted in emulation: {why}"
    profile.note = one_line("; ".join(filter(None, [profile.note, words])), 600)


def _counted(run: RunContext, reference: Reference) -> tuple[list[Counted], Sources, str, str]:
    """What emulation counts in a call: it, the sources that its lines are of, the shape, and why nothing."""
    run.live.doing("Counting what each line costs", at_once=True)
    if reference is run.reference:
        worker = run.worker.another()
    else:
        worker = run.worker.another(at_sizes(run.candidate, run.job.reference_text, reference.sizes))
    until = time.monotonic() + run.job.limits.examine_s

    def left_s() -> float:
        return max(0.1, until + worker.building_s - time.monotonic())

    def ask(request: Request, descriptors: Sequence[int], doing: str) -> tuple[Answer, list[int]]:
        return worker.ask(request, descriptors, "profile", doing, left_s())

    model = ModelInWorker(ask, reference)
    plans = reference.plans
    plan = plans[min(1, len(plans) - 1)]
    try:
        worker.start(EMULATED, examine=True, limit_s=left_s())
        model.construct(doing=_DOING)
        inputs = reference.inputs(plan, case_seed(run.seed, "line costs"))
        given = model.arguments(inputs)
        with model.send(
            Returned, Call(inputs=given.values, manner="counted"), given.descriptors, _DOING
        ) as got:
            counted = decode_costs([line.encode() for line in got.answer.costs])
    except RunEnded as end:
        return [], worker.sources, "", end.sentence
    finally:
        worker.close()
    return counted, worker.sources, shape_words(inputs), ""


def _line(run: RunContext, one: Counted, sources: Sources) -> LineCost:
    where = place_of(run.candidate, one.kernel, one.unit, one.line, sources)
    return LineCost(
        kernel=one_line(one.kernel, 120),
        line=where.line,
        text=marked_text(where),
        space=one.space,
        access=one.access,
        requests=one.requests,
        lanes=one.lanes / max(1, one.requests),
        asked_bytes=one.asked_bytes,
        moved_bytes=32 * one.sectors,
        passes=one.passes,
        least_passes=one.least_passes,
        same_address=one.same_address / max(1, one.requests),
        stride_bytes=one.stride,
    )


_UNIT = "cuda.cu"  # what load_inline has nvcc compile; other files are somebody's headers
_SECTOR_BYTES = 32
_Key = tuple[str, int | None, str, str]


def lines_of(candidate: Candidate, sources: Sources, readings: Sequence[LineReading]) -> list[LineCost]:
    """What ncu counted in the person's lines, those of one kernel, line and kind of access together."""
    found: dict[_Key, LineCost] = {}
    for reading in readings:
        if Path(reading.file).name != _UNIT:
            continue
        where = read_at(candidate, base_name(reading.kernel), _UNIT, reading.line, sources)
        if where.line is None:
            continue
        counters = _counters(reading)
        line = LineCost(
            kernel=one_line(base_name(reading.kernel), 120),
            line=where.line,
            text=marked_text(where),
            space=reading.space,
            access=reading.access,
            **msgspec.structs.asdict(counters),
            gpu=counters,
            counted=False,
        )
        known = found.setdefault(_key(line), line)
        if known is not line:
            _add(known, counters)
    return list(found.values())


def beside(lines: Sequence[LineCost], on_gpu: Sequence[LineCost]) -> list[LineCost]:
    """What emulation has counted, each with the GPU's counters of the same line and kind of access; then what only the
    GPU has."""
    of_gpu = {_key(line): line.gpu for line in on_gpu}
    for line in lines:
        line.gpu = of_gpu.get(_key(line))
    counted = {_key(line) for line in lines}
    return [*lines, *(line for line in on_gpu if _key(line) not in counted)]


def marked_text(where: Place) -> str:
    """The line itself."""
    return next((row.text for row in where.excerpt if row.line == where.line), "").strip()[:400]


def _key(line: LineCost) -> _Key:
    return base_name(line.kernel), line.line, line.space, line.access


def _counters(reading: LineReading) -> GpuCounters:
    return GpuCounters(
        requests=reading.requests,
        lanes=reading.lanes / max(1, reading.requests),
        asked_bytes=_SECTOR_BYTES * reading.least_sectors,
        moved_bytes=_SECTOR_BYTES * reading.sectors,
        passes=reading.passes,
        least_passes=reading.least_passes,
    )


def _add(known: LineCost, more: GpuCounters) -> None:
    """Another instance of a template, or another file that the line was compiled in."""
    before = known.gpu
    assert before is not None
    requests = before.requests + more.requests
    lanes = (before.lanes * before.requests + more.lanes * more.requests) / max(1, requests)
    names = ("asked_bytes", "moved_bytes", "passes", "least_passes")
    sums = {name: getattr(before, name) + getattr(more, name) for name in names}
    known.gpu = GpuCounters(requests=requests, lanes=lanes, **sums)
    for name, value in msgspec.structs.asdict(known.gpu).items():
        setattr(known, name, value)
