"""What was timed, as sections: the times, how they were taken, over sizes, against the limit, and in training."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kernelgate.report import limit_words, numbers, speed_words
from kernelgate.report.blocks import Axis, Mark, Picture, Row, Section, Table
from kernelgate.report.measured import CacheState, Clock, Limit, Phase, Share, Timing
from kernelgate.report.sections.making import Part, note, row, section, sides, table
from kernelgate.report.speed_words import Compared
from kernelgate.report.types import Report
from kernelgate.report.wording import upper_first

_PHASES: tuple[Phase, ...] = ("forward", "backward", "training step")
_CALLS: dict[CacheState, str] = {
    "cold": "Cold: caches flushed before each call",
    "warm": "Warm: calls follow each other",
    "graph": "Replayed from a CUDA graph",
}
_NEAR, _REACH_IQR = 1.1, 6
"""Programs further from the candidate, and samples further from the quartiles, do not widen the axis of samples."""


def times(report: Report) -> Section | None:
    """Every program's forward call: bars are rates if the limit is known, so that they grow towards it; else times."""
    timed = _timed(report)
    if timed is None:
        return None
    timing, found = timed
    limit = speed_words.reached(timing)
    peak = limit.peak if limit is not None else None
    shares = _shares(timing) if peak is not None else {}
    main = [_time(one, shares.get(one.program), timing) for one in found if not one.is_other]
    others = [_time(one, shares.get(one.program), timing) for one in found if one.is_other]
    ends = [mark.at for one in (*main, *others) for mark in one.marks]
    of_memory = peak is None or peak.unit == "B/s"
    if limit is None or peak is None:
        hint = "median; bars are time from 0, shorter is faster"
    else:
        name = limit_words.peak_name(peak)
        end = Mark(kind="limit", of="vendor" if peak.vendor else "reference", at=peak.rate)
        for one in (*main, *others):
            one.marks.append(end)
        time = numbers.durations(
            [*(one.timed.median_s for one in found), limit.bound.seconds], _digits(found)
        )[-1]
        rate = numbers.rate(peak.rate, peak.unit)
        main.append(row(f"{upper_first(name)} (the limit)", time, "", "", rate, "100%", kind="limit"))
        main[-1].marks = [end]
        bars = "bandwidth" if of_memory else "the rate"
        work = limit_words.work(limit.bound, _limit(timing))
        hint = f"median; {work}; bars are {bars} from 0, the line is {name}"
        ends.append(peak.rate)
    shown = table(
        "Forward, one call",
        (
            "Program",
            "Time|number",
            "Against eager|number",
            "Verdict|result",
            "Chart|chart",
            "Bandwidth|number|wide" if of_memory else "Rate|number|wide",
            "Of limit|number",
        ),
        [
            ("", main),
            ("Other arithmetic: shown for orientation, no verdict, because the results differ", others),
        ],
        hint=hint,
        axis=Axis(kind="linear", low=0, high=max(ends), shown=False),
    )
    made = section("times", "Times", "", [shown])
    if made is not None:
        made.plain = True
    return made


def _timed(report: Report) -> tuple[Timing, list[Compared]] | None:
    found = speed_words.rows(report.timing, "forward") if report.timing is not None else []
    return (report.timing, found) if report.timing is not None and found else None


def _digits(found: Sequence[Compared]) -> int:
    return numbers.digits_for(*(one.timed.median_s for one in found))


def _time(one: Compared, share: Share | None, timing: Timing) -> Row:
    """The limit is that of the reference's accuracy, so that other arithmetic has no share of it."""
    rate = limit_words.share_rate(share, _limit(timing)) if share is not None else ""
    part = numbers.share(share.share) if share is not None and not one.is_other else ""
    said = one.speed.note if one.speed is not None else ""
    made = row(
        one.name,
        one.time,
        one.against,
        one.verdict,
        rate,
        part,
        kind=one.kind,
        state=one.state,
        details=[said],
    )
    made.marks = [Mark(kind="bar", of=one.mark, at=share.rate if share is not None else one.timed.median_s)]
    return made


def _limit(timing: Timing) -> Limit:
    return timing.limit or Limit()


def _shares(timing: Timing, phase: Phase = "forward") -> dict[str, Share]:
    return {share.program: share for share in _limit(timing).shares if share.phase == phase}


def timing(report: Report) -> Section | None:
    """How the times were taken, and how far they can be trusted."""
    found = report.timing
    if found is None or not (found.rows or found.note):
        return None
    if not found.rows and any(fact.question == "Faster?" for fact in report.facts):
        return None  # the fact says why
    blocks: list[Part | None] = [note(found.note)]
    if found.rows:
        blocks = [_samples(found), _ratios(found), *_clocks(found), _cache_states(found)]
        blocks.append(note("; ".join(filter(None, [_conditions(found), found.note]))))
    unclear = any(not clock.agrees for clock in found.clocks)
    return section("timing", "Timing", speed_words.timed_conclusion(found), blocks, open=unclear)


def _conditions(timing: Timing) -> str:
    """SM clock 1,980 MHz, 46 °C, 498 W; 240 timed calls verified; 0 samples dropped"""
    clock = [numbers.thousands(mhz) for mhz in timing.sm_clock_mhz]
    device = [
        f"SM clock {' to '.join(dict.fromkeys(clock))} MHz" if clock else "",
        f"{timing.temperature_c} °C" if timing.temperature_c is not None else "",
        f"{timing.power_w} W" if timing.power_w is not None else "",
    ]
    parts = [
        ", ".join(filter(None, device)),
        f"{numbers.counted(timing.verified, 'timed call')} verified",
        f"{numbers.counted(sum(row.dropped for row in timing.rows), 'sample')} dropped",
        timing.disturbed,
    ]
    return "; ".join(filter(None, parts))


def _samples(timing: Timing) -> Table | None:
    found = speed_words.rows(timing, "forward")
    if not found:
        return None
    rows = []
    for one in found:
        timed = one.timed
        quartiles = f"from {numbers.duration(timed.q1_s, 4)} to {numbers.duration(timed.q3_s, 4)}"
        samples = f"{numbers.counted(timed.n, 'sample')}, half of them {quartiles}"
        rows.append(row(one.name, one.time, speed_words.iqr(timed), kind=one.kind, details=[samples]))
        rows[-1].marks = [Mark(kind="samples", of=one.mark, at=timed.median_s, program=one.program)]
    low, high = _span(found)
    return table(
        "All samples",
        ("Program", "Time per call|chart", "Median|number", "IQR|number"),
        [("", rows)],
        hint="interleaved; dots: samples, tall line: median, short bar: interquartile range (IQR)",
        axis=Axis(kind="linear", low=low, high=high, unit="s"),
    )


def _span(found: Sequence[Compared]) -> tuple[float, float]:
    """Around the candidate and what lies near it, around all if nothing does; a few samples far out must not press
    all others into one line."""
    ours = found[0].timed.median_s
    near = [one.timed for one in found if ours / _NEAR < one.timed.median_s < ours * _NEAR]
    ends = []
    for timed in near if len(near) > 1 else [one.timed for one in found]:
        reach = _REACH_IQR * (timed.q3_s - timed.q1_s)
        inside = [sample for sample in timed.samples_s if timed.q1_s - reach < sample < timed.q3_s + reach]
        ends += [timed.q1_s, timed.q3_s, *inside]
    low, high = min(ends), max(ends)
    return (low, high) if high > low else (low * 0.9, high * 1.1 or 1.0)


def _ratios(timing: Timing) -> Table | None:
    found = [one for one in speed_words.rows(timing, "forward") if one.speed is not None and not one.is_other]
    speeds = [one.speed for one in found if one.speed is not None]
    if not speeds:
        return None
    reference = speed_words.name_of(timing, "reference")
    band = max(speed.band for speed in speeds)
    low, high = min(1 / band, *(speed.low for speed in speeds)), max(band, *(speed.high for speed in speeds))
    room = max(high, 1 / low, 1.0) ** 0.15
    noise = [Mark(kind="band", low=1 / band, high=band), Mark(kind="limit", at=1)]
    rows = []
    for one, speed in zip(found, speeds, strict=True):
        digits = numbers.ratio_digits(speed.low, speed.ratio, speed.high)
        interval = f"95% CI {speed_words.interval(speed, digits)}"
        rows.append(
            row(one.name, one.against, one.verdict, kind=one.kind, state=one.state, details=[interval])
        )
        rows[-1].marks = [
            *noise,
            Mark(kind="interval", of=one.mark, at=speed.ratio, low=speed.low, high=speed.high),
        ]
    rows.append(row(f"{reference} against itself", numbers.ratio(band, 4), "noise band", kind="limit"))
    rows[-1].marks = [*noise, Mark(kind="interval", of="reference", at=1, low=1 / band, high=band)]
    return table(
        "Ratio of medians, 95% CI",
        ("Program", "Chart|chart", "Ratio|number", "Verdict|result"),
        [("", rows)],
        hint=f"against {reference}; FASTER: all of the interval is right of the grey noise band, SLOWER: left of it",
        axis=Axis(kind="ratios", low=low / room, high=high * room, unit="x"),
    )


def _clocks(timing: Timing) -> Iterable[Part | None]:
    """Ways to tell the time of the same calls, against each other."""
    times = numbers.durations([clock.seconds or 0.0 for clock in timing.clocks])
    of: dict[str, list[tuple[Clock, str]]] = {}
    for clock, time in zip(timing.clocks, times, strict=True):
        of.setdefault(clock.program, []).append((clock, time))
    ours = speed_words.name_of(timing, "candidate")
    groups = [
        (
            upper_first(name) if name == ours else name,
            [_clock(clock, time, clocks[0][0]) for clock, time in clocks],
        )
        for name, clocks in of.items()
    ]
    yield table(
        "Clocks",
        ("Clock, calls following each other", "Time|number", "Difference|result"),
        groups,
        hint=speed_words.clocks_words(timing),
    )
    for words in dict.fromkeys(
        f"{upper_first(clock.name)}: {clock.note}" for clock in timing.clocks if clock.note
    ):
        yield note(words)


def _clock(clock: Clock, time: str, first: Clock) -> Row:
    """Against the first, or as it says."""
    against = clock.against_s or first.seconds
    name, difference = upper_first(clock.name), ""
    if clock.against_s:
        name += f" against device events {numbers.duration(clock.against_s, 4)}"
    if clock is not first and clock.seconds is not None and against:
        difference = f"{(clock.seconds / against - 1) * 100:+.2f}%".replace("-", "−")
    said = time if clock.seconds is not None else "not read"
    unlike = not clock.agrees
    return row(name, said, difference, kind="failed" if unlike else "", state="unclear" if unlike else None)


def _cache_states(timing: Timing) -> Table | None:
    rows = []
    for cache_state, name in _CALLS.items():
        both = _both(timing, "forward", cache_state)
        if both is not None:
            ours, theirs = both
            rows.append(row(name, ours.time, theirs.time, ours.against, ours.verdict, state=ours.state))
    columns = ("Forward", *sides(timing), "Against eager|number", "Verdict|result")
    hint = "the verdict speaks of the cold call"
    return table("Cache states", columns, [("", rows)], hint=hint) if len(rows) > 1 else None


def _both(timing: Timing, phase: Phase, cache_state: CacheState | None) -> tuple[Compared, Compared] | None:
    found = speed_words.rows(timing, phase, cache_state) if cache_state is not None else []
    of = {one.timed.role: one for one in found}
    return (of["candidate"], of["reference"]) if {"candidate", "reference"} <= set(of) else None


def limit(report: Report) -> Section | None:
    """How close the device lets any program come, and how close this one came."""
    timed = _timed(report)
    found = speed_words.reached(timed[0]) if timed is not None else None
    if timed is None or found is None or found.peak is None:
        return None
    timing, programs = timed
    fact = speed_words.limit_fact(timing)
    notes = [
        *(
            f"{upper_first(share.phase)}: {limit_words.share_words(share, _limit(timing))}"
            for share in _limit(timing).shares
            if share.program == speed_words.name_of(timing, "candidate") and share.phase != "forward"
        ),
        limit_words.note(_limit(timing).shares),
    ]
    shares = _share_rows(report, timing, programs, found)
    picture = _roofline(timing, programs, found)
    return section(
        "limit", "Limit", fact.answer if fact.measured else "", [picture, shares, *map(note, notes)]
    )


def _share_rows(
    report: Report, timing: Timing, programs: Sequence[Compared], found: speed_words.Reached
) -> Table | None:
    peak, bound = found.peak, found.bound
    assert peak is not None
    end = Mark(kind="limit", of="vendor" if peak.vendor else "reference", at=peak.rate)
    shares, rows = _shares(timing), []
    for one in programs:
        if one.program in shares:
            share = shares[one.program]
            part = "–" if one.is_other else numbers.share(share.share)
            words = limit_words.share_words(share, _limit(timing))
            rows.append(
                row(f"{report.device.name}, {one.program}", one.time, part, kind=one.kind, details=[words])
            )
            rows[-1].marks = [end, Mark(kind="dot", of=one.mark, at=share.rate)]
    work = bound.bytes if peak.unit == "B/s" else bound.flops  # what a device would have to do
    for there in _limit(timing).predictions:
        if there.phase == "forward" and there.seconds > 0:
            time = limit_words.prediction_time(there)
            name = f"{there.device}, {there.program}"
            rows.append(row(name, time, "prediction", kind="limit", details=[there.assumptions]))
            rows[-1].marks = [Mark(kind="dot", of="prediction", at=work / there.seconds)]
    most = max(mark.at for one in rows for mark in one.marks) if rows else 0.0
    return table(
        "Share of the limit",
        ("Device, program", "Chart|chart", "Time|number", "Of limit|number"),
        [("", rows)],
        hint=f"0 to {numbers.rate(most, peak.unit)}",
        axis=Axis(kind="linear", low=0, high=most, shown=False),
    )


def _roofline(timing: Timing, programs: Sequence[Compared], found: speed_words.Reached) -> Picture | None:
    """Its values: the programs, then the peaks, in the order of the front end's marks."""
    bound, limit = found.bound, _limit(timing)
    shares = _shares(timing)
    if not bound.flops or not bound.bytes or not any(peak.unit == "B/s" for peak in limit.peak_rates):
        return None
    intensity = numbers.significant(bound.flops / bound.bytes)
    values = []
    for one in programs:
        if one.program in shares and one.timed.median_s > 0:
            speed = numbers.rate(bound.flops / one.timed.median_s, "FLOP/s")
            part = numbers.share(shares[one.program].share)
            values.append(f"{one.program}: {speed} at {intensity} FLOP per byte, {part} of the limit")
    peaks = sorted(limit.peak_rates, key=lambda peak: peak.unit != "B/s")
    values += [f"{limit_words.peak_label(peak)}: {numbers.rate(peak.rate, peak.unit)}" for peak in peaks]
    hint = "solid peaks measured here, dashed ones from the vendor; bytes and FLOP counted from the shapes"
    return Picture(of="roofline", title="Roofline on this device", hint=hint, values=values)


def training(report: Report) -> Section | None:
    """What a training step takes, and what the forward call keeps for it."""
    timing = report.timing
    if timing is None:
        return None
    rows = []
    for phase in _PHASES:
        both = _both(timing, phase, speed_words.timed_in(timing, phase))
        if both is not None:
            ours, theirs = both
            kind = "candidate" if phase == "training step" else ""
            cells = (ours.time, theirs.time, ours.against, ours.verdict)
            rows.append(row(upper_first(phase), *cells, kind=kind, state=ours.state))
    if len(rows) < 2:
        return None
    use = {one.program: one for one in timing.memory}
    of = [use.get(speed_words.name_of(timing, role)) for role in ("candidate", "reference")]
    sizes = [
        (
            "Kept for backward",
            [one.kept_bytes if one else None for one in of],
            speed_words.kept_words(timing),
        ),
        (
            "Peak memory of a call",
            [one.peak_bytes or None if one else None for one in of],
            speed_words.peak_words(timing),
        ),
    ]
    for name, counts, difference in sizes:
        shown = [numbers.size(count) for count in counts if count is not None]
        if len(shown) == 2:
            rows.append(row(name, *shown, difference, ""))
    columns = ("Phase", *sides(timing), "Difference|number", "Verdict|result")
    shown_table = table("Training", columns, [("", rows)])
    return section("training", "Training", speed_words.training_conclusion(timing), [shown_table])
