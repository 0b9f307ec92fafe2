"""What was timed, in words: the one place where a speed becomes a sentence.

In: a `Timing`. Out: facts, the end of the verdict's sentence, and rows that text and HTML share; "" or a fact that
says why where nothing was measured.
A speed is that of the forward call with cold caches, against the reference. Ratios carry their direction and never
fall below 1; digits are three, or four where a comparison needs them.
Not here: how a speed is measured and judged (`timing`), how a number is written (`report.numbers`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from kernelgate.report import numbers
from kernelgate.report.measured import Circumstance, Floor, Phase, Roof, Share, Speed, Timed, Timing
from kernelgate.report.types import Fact

AT_LIMIT = 0.98
"""From this share on a program is at the limit: 2 %, as two speeds are the same within 2 %."""

UNMEASURED = "Not measured"

_ORDER: tuple[Circumstance, ...] = ("cold", "warm", "graph")


@dataclass(frozen=True)
class Row:
    """A program of a comparison, in words."""

    program: str
    time: str
    against: str
    role: str


def headline(timing: Timing) -> Speed | None:
    """The speed that a verdict speaks of: the candidate's, forward, with cold caches."""
    return speed_of(timing, _name_of(timing, "candidate"), "forward", "cold")


def speed_of(timing: Timing, program: str, phase: Phase, circumstance: Circumstance) -> Speed | None:
    wanted = (program, phase, circumstance)
    return next((s for s in timing.speeds if (s.program, s.phase, s.circumstance) == wanted), None)


def faster_fact(timing: Timing) -> Fact:
    """Yes, 1.010x faster than PyTorch eager: 95% CI 1.009x to 1.011x"""
    speed, reference = headline(timing), _name_of(timing, "reference")
    if speed is None:
        return _unmeasured("Faster?", timing)
    if speed.verdict is None:
        why = speed.note or f"other arithmetic than {reference}"
        return Fact(question="Faster?", answer="Not compared", evidence=why, measured=False)
    digits = numbers.ratio_digits(speed.low, speed.ratio, speed.high)
    ratio = numbers.ratio(speed.ratio, digits)
    answer = {
        "FASTER": f"Yes, {ratio} faster than {reference}",
        "SLOWER": f"No, {ratio} slower than {reference}",
        "SAME": f"No, {ratio}, same speed as {reference}",
        "UNCLEAR": f"Unclear: {'the clocks disagree' if _astray(timing) else 'the times vary too much'}",
    }[speed.verdict]
    evidence = f"95% CI {_interval(speed, digits)}"
    if speed.verdict == "UNCLEAR":
        # The answer names no other side, so the interval does.
        evidence += f" against {reference}"
        evidence = "; ".join(filter(None, [_astray(timing) or speed.note, evidence]))
    return Fact(question="Faster?", answer=answer, evidence=evidence)


def limit_fact(timing: Timing) -> Fact:
    """100% of device copy, 4.27 TB/s: device copy: 4.25 TB/s"""
    found = limit_of(timing, _name_of(timing, "candidate"), "forward")
    if found is None:
        return _unmeasured("Limit?", timing)
    share, floor, roof = found
    unit = roof.unit if roof is not None else "B/s"
    name = f"the vendor's {floor.roof}" if roof is not None and roof.vendor else floor.roof
    answer = f"{numbers.share(share.share)} of {name}, {numbers.rate(share.rate, unit)}"
    evidence = f"{name}: {numbers.rate(roof.rate, unit)}" if roof is not None else ""
    return Fact(question="Limit?", answer=answer, evidence=evidence)


def limit_of(timing: Timing, program: str, phase: Phase) -> tuple[Share, Floor, Roof | None] | None:
    """How close a program comes to the floor of a phase, that floor, and the roof that sets it."""
    limit = timing.limit
    if limit is None:
        return None
    share = next((s for s in limit.shares if (s.program, s.phase) == (program, phase)), None)
    floor = next((f for f in limit.floors if f.phase == phase), None)
    if share is None or floor is None:
        return None
    return share, floor, next((r for r in limit.roofs if r.name == floor.roof), None)


def speed_phrase(timing: Timing) -> str:
    """1.01x faster forward, and at the device's memory limit; "" where nothing was compared."""
    speed, reference = headline(timing), _name_of(timing, "reference")
    if speed is None or speed.verdict is None:
        return ""
    if speed.verdict == "UNCLEAR":
        return "speed unclear"
    if speed.verdict == "SAME":
        return f"same speed as {reference}"
    ratio = _telling_ratio(speed.ratio)
    if speed.verdict == "SLOWER":
        return f"{ratio} slower than {reference}"
    forward = " forward" if any(row.phase != "forward" for row in timing.rows) else ""
    limit = _limit_reached(timing)
    return f"{ratio} faster{forward}" + (f", and at {limit}" if limit else f" than {reference}")


def with_speed(sentence: str, timing: Timing) -> str:
    """A verdict's sentence with its speed: "Correct, but 1.61x slower than PyTorch eager"."""
    phrase, speed = speed_phrase(timing), headline(timing)
    if not phrase or speed is None:
        return sentence
    joint = {"SLOWER": ", but ", "UNCLEAR": "; "}.get(speed.verdict or "", ", ")
    return sentence + joint + phrase


def against(speed: Speed, digits: int) -> str:
    """1.010x faster; 1.003x, same; other arithmetic"""
    if speed.verdict is None:
        return "other arithmetic"
    word = {"FASTER": " faster", "SLOWER": " slower", "SAME": ", same", "UNCLEAR": ", unclear"}[speed.verdict]
    return numbers.ratio(speed.ratio, digits) + word


def rows(timing: Timing, phase: Phase, circumstance: Circumstance = "cold") -> list[Row]:
    """Every program of a phase, candidate first and reference last, other arithmetic after it. One unit a column."""
    timed = [row for row in timing.rows if (row.phase, row.circumstance) == (phase, circumstance)]
    speeds = {row.program: speed_of(timing, row.program, phase, circumstance) for row in timed}
    timed.sort(key=lambda row: _place(row, speeds[row.program]))
    times = numbers.durations([row.median_s for row in timed])
    compared = [s.ratio for s in speeds.values() if s is not None and s.verdict is not None]
    digits = numbers.ratio_digits(*compared)
    found = []
    for row, time in zip(timed, times, strict=True):
        speed = speeds[row.program]
        words = (
            "reference" if row.role == "reference" else against(speed, digits) if speed is not None else ""
        )
        found.append(Row(row.program, time, words, row.role))
    return found


def timed_in(timing: Timing, phase: Phase) -> Circumstance | None:
    """The circumstance that stands for a phase: cold where it was measured."""
    measured = {row.circumstance for row in timing.rows if row.phase == phase}
    return next((one for one in _ORDER if one in measured), None)


def training(timing: Timing) -> Row | None:
    """The candidate's training step: 6.22 ms, 1.20x faster, 1/32 activation memory"""
    circumstance = timed_in(timing, "training step")
    if circumstance is None:
        return None
    step = next((row for row in rows(timing, "training step", circumstance) if row.role == "candidate"), None)
    if step is None:
        return None
    words = ", ".join(filter(None, [step.against, kept_words(timing)]))
    return Row("training step", step.time, words, step.role)


def kept_words(timing: Timing) -> str:
    """1/32 activation memory: what the candidate keeps for the backward call, of what the reference keeps."""
    kept = {use.program: use.kept_bytes for use in timing.memory}
    ours, theirs = kept.get(_name_of(timing, "candidate")), kept.get(_name_of(timing, "reference"))
    if ours is None or not theirs or ours == theirs:
        return ""
    if ours == 0:
        return "no activation memory"
    part = numbers.fraction(ours, theirs)
    return f"{part} of the activation memory" if part.endswith("%") else f"{part} activation memory"


def losing_sizes(timing: Timing) -> str:
    """slower at 64x64, 128x128; "" where no size of a sweep loses"""
    lost = [point.shape for point in timing.sweep if point.verdict == "SLOWER"]
    return f"slower at {', '.join(lost)}" if lost else ""


def _name_of(timing: Timing, role: str) -> str:
    default = "this kernel" if role == "candidate" else "PyTorch eager"
    return next((row.program for row in timing.rows if row.role == role), default)


def _place(row: Timed, speed: Speed | None) -> int:
    if row.role == "candidate":
        return 0
    if row.role == "reference":
        return 2
    return 3 if speed is not None and speed.verdict is None else 1


def _unmeasured(question: Literal["Faster?", "Limit?"], timing: Timing) -> Fact:
    return Fact(question=question, answer=UNMEASURED, evidence=timing.note, measured=False)


def _interval(speed: Speed, digits: int) -> str:
    """1.009x to 1.011x, in the direction that the verdict names; else with a direction at each end."""
    low, high = numbers.ratio(speed.low, digits), numbers.ratio(speed.high, digits)
    if speed.low < 1 < speed.high:
        return f"{low} slower to {high} faster"
    slower = speed.high <= 1
    ends = f"{high} to {low}" if slower else f"{low} to {high}"
    if speed.verdict in ("FASTER", "SLOWER"):
        return ends
    return f"{ends} {'slower' if slower else 'faster'}"


def _telling_ratio(value: float) -> str:
    """Three digits, and more where three would read as no difference."""
    digits: Sequence[int] = (3, 4, 5)
    return next((r for d in digits if float((r := numbers.ratio(value, d))[:-1]) > 1), numbers.ratio(value))


def _limit_reached(timing: Timing) -> str:
    """the device's memory limit"""
    found = limit_of(timing, _name_of(timing, "candidate"), "forward")
    if found is None or found[0].share < AT_LIMIT:
        return ""
    _, floor, roof = found
    if roof is not None and roof.vendor:
        return f"the vendor's {floor.roof} limit"
    memory = roof is None or roof.unit == "B/s"
    return "the device's memory limit" if memory else f"the device's {floor.roof} limit"


def _astray(timing: Timing) -> str:
    """wall slope reads 3.31 ms, device events 3.015 ms: the clock that does not agree, beside one that does"""
    ours = [c for c in timing.clocks if c.program == _name_of(timing, "candidate") and c.seconds is not None]
    astray = next((clock for clock in timing.clocks if not clock.agrees and clock.seconds is not None), None)
    if astray is None:
        return ""
    other = next((c for c in ours if c.agrees and c.program == astray.program), None)
    told = numbers.durations([c.seconds for c in (astray, other) if c is not None and c.seconds is not None])
    words = f"{astray.name} reads {told[0]}"
    return words if other is None else f"{words}, {other.name} {told[1]}"
