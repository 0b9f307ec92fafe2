"""Writes into a report what it shows: its sections, and the words and figures of its head, once, for all viewers.

In: a report, running or finished. Out: the same report, with its sections and its fields "as shown" filled in, each
within its bound.
Not here: the phrases (`report.wording` and its kin), what a section holds (`report.sections`), the verdict's sentence
and the facts, which are part of the judgement (`judge.verdict`).
"""

from __future__ import annotations

from kernelgate.report import build_words, cost_words, limit_words, numbers, speed_words, wording
from kernelgate.report.blocks import Axis, Mark
from kernelgate.report.bounded import one_line
from kernelgate.report.measured import DeviceCode, Profile, Timing
from kernelgate.report.sections import sections_of
from kernelgate.report.types import Fact, Report, Verdict

_WORDS = 600


def fill_shown_words(report: Report) -> Report:
    """The report itself, so that the call can stand where a report is sent."""
    report.doing = wording.doing_now(report) if report.verdict is None else ""
    report.took = numbers.duration(report.elapsed_s)
    report.scaled = one_line(wording.scaled(report), _WORDS)
    report.kernel_note = wording.no_kernel(report)
    report.cases_conclusion = wording.cases_conclusion(report.cases) if report.cases else ""
    if report.verdict is not None:
        _verdict(report, report.verdict)
    for stage in report.stages:
        stage.count = wording.stage_count(stage)
        ended = stage.seconds > 0 and stage.state != "running"
        stage.took = numbers.duration(stage.seconds) if ended else ""
    for case in report.cases:
        case.error = wording.case_error(case)
    _places(report)
    if report.timing is not None:
        _timing(report.timing)
        for fact in report.facts:
            _chart(fact, report.timing)
    if report.profile is not None:
        _marks(report.profile)
    if report.device_code is not None:
        _build_marks(report.device_code)
    report.sections = sections_of(report)
    return report


def _verdict(report: Report, verdict: Verdict) -> None:
    words = wording.short_verdict(report)
    if report.timing is not None and verdict.outcome == "pass":
        words = speed_words.with_short_speed(words, report.timing)
    beyond = "out of bounds at others" if verdict.strays else "not a drop-in" if verdict.obstacle else ""
    verdict.short = "; ".join(filter(None, [words, beyond]))


def _places(report: Report) -> None:
    checks = [check for check in (report.memory_check, report.sanitizer) if check is not None]
    places = [finding.where for check in checks for finding in check.findings]
    for place in [*places, report.failure.where if report.failure is not None else None]:
        if place is not None:
            place.words = one_line(wording.place(place), _WORDS)


def _timing(timing: Timing) -> None:
    timing.headline_times = _headline_times(timing)
    for phase, cache_state in {(row.phase, row.cache_state) for row in timing.rows}:
        for shown in speed_words.rows(timing, phase, cache_state):
            shown.timed.time, shown.timed.against = shown.time, shown.against
    if timing.limit is not None:
        for share in timing.limit.shares:
            share.percent = numbers.share(share.share)
        reached = speed_words.reached(timing)
        timing.limit.reached = limit_words.standing(reached.share.share) if reached is not None else ""


def _chart(fact: Fact, timing: Timing) -> None:
    """The ratio with its interval beside "same" and the noise; or the rate, up to the peak that sets the limit."""
    speed, reached = speed_words.headline(timing), speed_words.reached(timing)
    fact.axis, fact.marks = None, []
    if fact.question == "Faster?" and speed is not None and speed.verdict is not None:
        room = max(1.005, max(speed.high, 1 / speed.low, speed.band) ** 0.4)
        low, high = min(1 / speed.band, speed.low) / room, max(speed.band, speed.high) * room
        fact.axis = Axis(kind="ratios", low=low, high=high, unit="x")
        noise = [Mark(kind="band", low=1 / speed.band, high=speed.band), Mark(kind="limit", at=1)]
        fact.marks = [*noise, Mark(kind="interval", at=speed.ratio, low=speed.low, high=speed.high)]
    if fact.question == "Limit?" and fact.measured and reached is not None and reached.peak is not None:
        rate, peak = reached.share.rate, reached.peak.rate
        fact.axis = Axis(kind="linear", low=0, high=max(rate, peak) * 1.1, shown=False)
        end = Mark(kind="limit", of="vendor" if reached.peak.vendor else "reference", at=peak)
        fact.marks = [Mark(kind="band", low=0, high=peak), Mark(kind="bar", at=rate), end]


def _marks(profile: Profile) -> None:
    """What an editor says at the costliest lines."""
    for line in profile.lines:
        line.advice, line.mark = cost_words.advice(line), ""
    for line in cost_words.worst(profile.lines):
        line.mark = cost_words.mark(line)


def _build_marks(found: DeviceCode) -> None:
    for line in found.lines:
        line.advice = build_words.advice(line)
        line.mark = build_words.mark(line) if line in found.lines[: build_words.MOST_MARKS] else ""


def _headline_times(timing: Timing) -> str:
    """3.015 ms against 3.046 ms"""
    times = {row.timed.role: row.time for row in speed_words.rows(timing, "forward")}
    both = {"candidate", "reference"} <= set(times)
    return f"{times['candidate']} against {times['reference']}" if both else ""
