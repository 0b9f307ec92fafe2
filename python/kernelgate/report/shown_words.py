"""Writes into a report what it shows: every conclusion and every figure of a sentence, once, for all viewers.

In: a report, running or finished. Out: the same report, its fields "as shown" filled in, each within its bound.
The phrases themselves are those of text and HTML (`report.wording`, `report.speed_words`, `report.limit_words`).
Not here: the verdict's sentence and the facts, which are part of the judgement (`judge.verdict`).
"""

from __future__ import annotations

from kernelgate.report import (
    accuracy_words,
    build_words,
    cost_words,
    device_words,
    limit_words,
    numbers,
    speed_words,
    table_words,
    wording,
)
from kernelgate.report.accuracy import Precision
from kernelgate.report.bounded import one_line
from kernelgate.report.measured import DeviceCode, Limit, Phase, Profile, Timing
from kernelgate.report.types import Case, MemoryCheck, Place, Report, Verdict

_NAME, _WORDS, _SENTENCES = 120, 600, 1200


def fill_shown_words(report: Report) -> Report:
    """The report itself, so that the call can stand where a report is sent."""
    report.doing = wording.doing_now(report) if report.verdict is None else ""
    report.took = numbers.duration(report.elapsed_s)
    report.scaled = one_line(wording.scaled(report), _WORDS)
    report.kernel_note = wording.no_kernel(report)
    if report.verdict is not None:
        _verdict(report, report.verdict)
    _stages(report)
    _check(report)
    if report.build is not None:
        nothing = report.build.lane == "none"
        report.build.words = (
            "nothing to compile" if nothing else one_line(wording.built(report.build), _WORDS)
        )
    report.environment.confined = one_line(wording.confinement(report.environment), _SENTENCES)
    if report.failure is not None and report.failure.where is not None:
        _place(report.failure.where)
    if report.timing is not None:
        _timing(report.timing)
    if report.profile is not None:
        _profile(report.profile, report.timing)
    if report.device_code is not None:
        _device_code(report.device_code)
    return report


def _verdict(report: Report, verdict: Verdict) -> None:
    words = wording.short_verdict(report)
    if report.timing is not None and verdict.outcome == "pass":
        words = speed_words.with_short_speed(words, report.timing)
    beyond = "out of bounds at others" if verdict.strays else "not a drop-in" if verdict.obstacle else ""
    verdict.short = "; ".join(filter(None, [words, beyond]))


def _stages(report: Report) -> None:
    for stage in report.stages:
        stage.count = wording.stage_count(stage)
        ended = stage.seconds > 0 and stage.state != "running"
        stage.took = numbers.duration(stage.seconds) if ended else ""


def _check(report: Report) -> None:
    for case in report.cases:
        _case(case)
    for gate in report.gates:
        gate.result = wording.gate_outcome(gate)
    if report.rules is not None:
        report.rules.words = one_line(accuracy_words.rules(report.rules), _SENTENCES)
    if report.precision is not None:
        _precision(report.precision)
    if report.error_map is not None:
        report.error_map.words = one_line(accuracy_words.error_map(report.error_map), _SENTENCES)
        report.error_map.row_words = accuracy_words.row_words(report.error_map)
    if report.power is not None:
        report.power.words = wording.power(report.power)
    for memory_check in (report.memory_check, report.sanitizer):
        if memory_check is not None:
            _memory_check(memory_check)
    report.cases_conclusion = wording.cases_conclusion(report.cases) if report.cases else ""
    report.correctness = one_line(wording.correctness(report), _WORDS)


def _case(case: Case) -> None:
    case.result = wording.case_outcome(case)
    case.details = one_line(wording.case_details(case), _SENTENCES)
    case.error = wording.case_error(case)


def _precision(precision: Precision) -> None:
    precision.error = numbers.error_units(precision.units)
    precision.reference_error = numbers.error_units(precision.reference_units)
    precision.passes = f"up to {numbers.error_units(precision.passes_units)}"
    for bound in precision.bounds:
        bound.shown = accuracy_words.bound_words(bound)
    precision.words = one_line(accuracy_words.precision(precision), _SENTENCES)


def _memory_check(memory_check: MemoryCheck) -> None:
    memory_check.words = one_line(wording.memory_check(memory_check), _WORDS)
    for finding in memory_check.findings:
        if finding.where is not None:
            _place(finding.where)


def _place(place: Place) -> None:
    place.words = one_line(wording.place(place), _WORDS)


def _timing(timing: Timing) -> None:
    timing.conclusion = one_line(speed_words.timed_conclusion(timing), _WORDS)
    timing.headline_times = speed_words.headline_times(timing)
    timing.clocks_conclusion = speed_words.clocks_words(timing)
    timing.conditions = one_line(speed_words.conditions(timing), _WORDS)
    timing.training_conclusion = speed_words.training_conclusion(timing)
    timing.kept_words = speed_words.kept_words(timing)
    timing.peak_words = speed_words.peak_words(timing)
    timing.sizes_conclusion = one_line(speed_words.sizes_conclusion(timing), _WORDS) if timing.sweep else ""
    _programs(timing)
    for speed in timing.speeds:
        digits = numbers.ratio_digits(speed.low, speed.ratio, speed.high)
        speed.interval = speed_words.interval(speed, digits)
    for clock, time in zip(timing.clocks, table_words.clock_times(timing), strict=True):
        clock.time = time if clock.seconds is not None else ""
        clock.against = table_words.clock_against(clock)
    for use in timing.memory:
        use.peak = numbers.size(use.peak_bytes)
        use.kept = numbers.size(use.kept_bytes) if use.kept_bytes is not None else ""
    for point, row in zip(timing.sweep, table_words.size_rows(timing.sweep), strict=True):
        point.candidate_time, point.reference_time = row.time, row.reference
        point.against, point.interval = row.against, row.interval
    if timing.limit is not None:
        _limit(timing.limit, timing)


def _programs(timing: Timing) -> None:
    for phase, cache_state in {(row.phase, row.cache_state) for row in timing.rows}:
        shown = {row.program: row for row in speed_words.rows(timing, phase, cache_state)}
        for row in timing.rows:
            if (row.phase, row.cache_state) == (phase, cache_state):
                row.time, row.against = shown[row.program].time, shown[row.program].against
                row.iqr = speed_words.iqr(row)


def _limit(limit: Limit, timing: Timing) -> None:
    for peak in limit.peak_rates:
        peak.label, peak.full_name = limit_words.peak_label(peak), limit_words.peak_name(peak)
        peak.rate_words = numbers.rate(peak.rate, peak.unit)
    for bound in limit.lower_bounds:
        bound.time, bound.work = _beside(timing, bound.phase, bound.seconds), limit_words.work(bound, limit)
    for share in limit.shares:
        share.percent = numbers.share(share.share)
        share.rate_words = limit_words.share_rate(share, limit)
        share.words = limit_words.share_words(share, limit)
    for prediction in limit.predictions:
        prediction.time = limit_words.prediction_time(prediction)
        prediction.words = limit_words.prediction_words(prediction)
    reached = speed_words.reached(timing)
    limit.reached = limit_words.standing(reached.share.share) if reached is not None else ""
    fact = speed_words.limit_fact(timing)
    limit.conclusion = fact.answer if fact.measured else ""
    limit.note = limit_words.note(limit.shares)


def _beside(timing: Timing, phase: Phase, seconds: float) -> str:
    """A time in the column of the medians of its phase: in their unit, with their digits."""
    cache_state = speed_words.timed_in(timing, phase)
    medians = [row.median_s for row in timing.rows if (row.phase, row.cache_state) == (phase, cache_state)]
    return numbers.durations([*medians, seconds], numbers.digits_for(*medians))[-1]


def _profile(profile: Profile, timing: Timing | None) -> None:
    profile.conclusion = one_line(speed_words.profiled_conclusion(timing, profile), _WORDS)
    for kernel in profile.kernels:
        kernel.time = numbers.duration(kernel.seconds)
        kernel.occupancy_words = table_words.occupancy(kernel)
    for line in profile.lines:
        line.cost, line.gpu_cost = cost_words.cost(line), cost_words.gpu_cost(line)
        line.lanes_words = cost_words.lanes(line)
        line.advice, line.mark = cost_words.advice(line), ""
    for line in cost_words.worst(profile.lines):
        line.mark = cost_words.mark(line)
    for build in profile.builds:
        build.occupancy_words = table_words.occupancy(build)


def _device_code(found: DeviceCode) -> None:
    found.place, found.conclusion = device_words.device_code_place(found), device_words.device_code_conclusion(found)
    for build in found.builds:
        build.gpu = device_words.GPUS.get(build.arch, "")
    for facts in found.kernels:
        facts.occupancy_words = table_words.occupancy(facts)
    for line in found.lines:
        line.words, line.advice = one_line(build_words.words(line), _WORDS), build_words.advice(line)
        line.mark = build_words.mark(line) if line in found.lines[: build_words.MOST_MARKS] else ""
