"""What would make a program faster, as a section: what can be gained most first, each with what it rests on.

In: a `Report`. Out: its `Section`, None if nothing is known. A gain is the most that can be saved of the time, or of
what memory moves; it is computed, and not measured.
Not here: what helps at a line (`report.cost_words`, `report.build_words`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kernelgate.report import build_words, cost_words, limit_words, numbers, speed_words
from kernelgate.report.blocks import Row, Section
from kernelgate.report.line_facts import LineCost
from kernelgate.report.measured import Launch, Profile, Timing
from kernelgate.report.sections.making import row, section, table
from kernelgate.report.types import Report

_LEAST = 0.05
"""Less is not worth a row."""
_ON_DEVICE = ("kernel", "copy", "set")


class Gain(NamedTuple):
    """`part`: of the whole, what is saved at most; 0 if that is not known."""

    part: float
    row: Row


def faster(report: Report) -> Section | None:
    gains = [*_lines(report), *_idle(report.profile, report.timing), *_limit(report.timing)]
    gains.sort(key=lambda gain: -gain.part)
    rows = [gain.row for gain in gains]
    shown = table(
        "What to do, the largest gain first",
        ("Where", "At most saved|number", "Rests on"),
        [("", rows)],
        hint="computed, not measured",
    )
    first = f"{rows[0].name}, {rows[0].cells[0]}" if rows else ""
    return section("faster", "To be faster", f"first: {first}", [shown])


def _lines(report: Report) -> Iterable[Gain]:
    costs = report.profile.lines if report.profile is not None else []
    moved, passes = sum(line.moved_bytes for line in costs), sum(line.passes for line in costs)
    for line in costs:
        helps = cost_words.advice(line)
        if helps:
            part, of = _in_vain(line, moved, passes)
            on = "the GPU's counters" if line.gpu is not None else "costs counted in emulation"
            cell = f"{numbers.share(part)} {of}" if part >= _LEAST else "–"
            yield Gain(part, row(cost_words.place(line), cell, on, line=line.line, details=[helps]))
    for build in report.device_code.lines if report.device_code is not None else []:
        helps = build_words.advice(build)
        if helps:
            on = "compiled instructions"
            yield Gain(0.0, row(build_words.place(build), "–", on, line=build.line, details=[helps]))


def _in_vain(line: LineCost, moved: int, passes: int) -> tuple[float, str]:
    """What a better order of addresses saves of what all lines move, or of their passes over the banks."""
    if line.space == "global":
        return max(0, line.moved_bytes - line.asked_bytes) / max(1, moved), "of bytes moved"
    return max(0, line.passes - line.least_passes) / max(1, passes), "of passes over banks"


def _idle(profile: Profile | None, timing: Timing | None) -> Iterable[Gain]:
    """The device waits while the host prepares the next launch."""
    ours = speed_words.name_of(timing, "candidate")
    launches = [
        one
        for one in (profile.timeline if profile is not None else [])
        if one.phase == "forward" and (timing is None or one.program == ours)
    ]
    on_device = [one for one in launches if one.kind in _ON_DEVICE]
    if len(on_device) < 2:
        return
    span = max(_end(one) for one in on_device) - min(one.start_s for one in on_device)
    busy = _busy(on_device)
    part = 1 - busy / span if span > 0 else 0.0
    if part >= _LEAST:
        launched = numbers.counted(len(on_device), "launch", "launches")
        helps = (
            f"{launched} keep the device busy for {numbers.duration(busy)} of {numbers.duration(span)}: the rest of "
            "the time it waits for the host. Launch fewer kernels, "
            "by one that does the work of several, or replay the calls from a CUDA graph"
        )
        yield Gain(
            part, row("between launches", f"{numbers.share(part)} of the time", "timeline", details=[helps])
        )


def _end(one: Launch) -> float:
    return one.start_s + one.seconds


def _busy(launches: Sequence[Launch]) -> float:
    """Seconds in which at least one of them runs."""
    busy = until = 0.0
    for one in sorted(launches, key=lambda one: one.start_s):
        busy += max(0.0, _end(one) - max(until, one.start_s))
        until = max(until, _end(one))
    return busy


def _limit(timing: Timing | None) -> Iterable[Gain]:
    found = speed_words.reached(timing) if timing is not None else None
    if found is None or limit_words.standing(found.share.share) != "below":
        return
    part = 1 - found.share.share
    name = limit_words.peak_name(found.peak) if found.peak is not None else found.bound.peak
    helps = f"No program needs less than {numbers.duration(found.bound.seconds, 4)} here: the limit is {name}"
    yield Gain(
        part, row("the forward call", f"{numbers.share(part)} of the time", "the limit", details=[helps])
    )
