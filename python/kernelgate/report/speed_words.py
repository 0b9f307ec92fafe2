"""What was timed, in words: the one place where a speed becomes a sentence.

In: a `Timing`. Out: facts, the end of the verdict's sentence, and rows that text and HTML share; "" or a fact that
says why if nothing was measured.
A speed is that of the forward call with cold caches, against the reference. Ratios carry their direction and never
fall below 1; digits are three, or four where a comparison needs them.
Not here: how a speed is measured and judged (`timing`), how a number is written (`report.numbers`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from kernelgate.report import limit_words, numbers
from kernelgate.report.bounded import one_line
from kernelgate.report.measured import (
    CacheState,
    LowerBound,
    PeakRate,
    Phase,
    Profile,
    Share,
    Speed,
    SpeedVerdict,
    SweepPoint,
    Timed,
    Timing,
)
from kernelgate.report.types import Fact
from kernelgate.report.wording import lower_first, upper_first

UNMEASURED = "Not measured"

_HEADLINE = ("candidate", "forward", "cold")
_ORDER: tuple[CacheState, ...] = ("cold", "warm", "graph")


@dataclass(frozen=True)
class Compared:
    """A program of a comparison, with its words."""

    timed: Timed
    speed: Speed | None
    time: str
    against: str

    @property
    def program(self) -> str:
        return self.timed.program

    @property
    def name(self) -> str:
        """At the start of a row: our own words with a capital, names such as torch.compile as they are."""
        return upper_first(self.program) if self.timed.role == "candidate" else self.program

    @property
    def is_other(self) -> bool:
        """It computes with another accuracy, so that its speed gets no verdict."""
        return self.speed is not None and self.speed.verdict is None

    @property
    def verdict(self) -> str:
        return (self.speed.verdict if self.speed is not None else None) or ""

    @property
    def state(self) -> SpeedVerdict | None:
        return self.speed.verdict if self.speed is not None else None

    @property
    def kind(self) -> str:
        return "candidate" if self.timed.role == "candidate" else ""

    @property
    def mark(self) -> Literal["candidate", "reference", "arithmetic"]:
        if self.is_other:
            return "arithmetic"
        return "candidate" if self.timed.role == "candidate" else "reference"


class Reached(NamedTuple):
    """How close a program comes to the bound of a phase, that bound, and the peak that sets it."""

    share: Share
    bound: LowerBound
    peak: PeakRate | None


def headline(timing: Timing) -> Speed | None:
    """The speed that a verdict speaks of: the candidate's, forward, with cold caches."""
    return speed_of(timing, name_of(timing, "candidate"), "forward", "cold")


def speed_of(timing: Timing, program: str, phase: Phase, cache_state: CacheState) -> Speed | None:
    wanted = (program, phase, cache_state)
    return next((s for s in timing.speeds if (s.program, s.phase, s.cache_state) == wanted), None)


def faster_fact(timing: Timing) -> Fact:
    """Yes, 1.010x faster than PyTorch eager: 95% CI 1.009x to 1.011x"""
    speed, reference = headline(timing), name_of(timing, "reference")
    if speed is None:
        return _unmeasured("Faster?", timing, _too_few(timing))
    if speed.verdict is None:
        why = speed.note or f"other arithmetic than {reference}"
        return Fact(question="Faster?", answer="Not compared", evidence=why, measured=False)
    digits = numbers.ratio_digits(speed.low, speed.ratio, speed.high)
    ratio = numbers.ratio(speed.ratio, digits)
    answer = {
        "FASTER": f"Yes, {ratio} faster than {reference}",
        "SLOWER": f"No, {ratio} slower than {reference}",
        "SAME": f"No, {ratio}, same speed as {reference}",
        "UNCLEAR": f"Unclear: {_why_unclear(timing)}",
    }[speed.verdict]
    evidence = f"95% CI {interval(speed, digits)}"
    if speed.verdict == "UNCLEAR":
        # No interval of times that are not believed. Else it names the other side, because the answer does not.
        evidence = _astray(timing) or f"{evidence} against {reference}"
    return Fact(question="Faster?", answer=answer, evidence=evidence)


def limit_fact(timing: Timing) -> Fact:
    """100% of device copy, 4.27 TB/s: device copy: 4.25 TB/s"""
    found = reached(timing)
    if found is None:
        return _unmeasured("Limit?", timing)
    share, bound, peak = found
    if limit_words.standing(share.share) == "not believed":
        why = (
            "it is faster than the work that was counted for the reference allows: not all of that is needed"
        )
        return _unmeasured("Limit?", timing, why)
    unit = peak.unit if peak is not None else "B/s"
    name = limit_words.peak_name(peak) if peak is not None else bound.peak
    answer = f"{numbers.share(share.share)} of {name}, {numbers.rate(share.rate, unit)}"
    evidence = f"{name}: {numbers.rate(peak.rate, unit)}" if peak is not None else ""
    return Fact(question="Limit?", answer=answer, evidence=evidence)


def reached(timing: Timing) -> Reached | None:
    """How close the candidate's forward call comes to its limit."""
    limit = timing.limit
    if limit is None:
        return None
    wanted = (name_of(timing, "candidate"), "forward")
    share = next((s for s in limit.shares if (s.program, s.phase) == wanted), None)
    bound = next((f for f in limit.lower_bounds if f.phase == "forward"), None)
    if share is None or bound is None:
        return None
    # The vendor's has the same name; shares are of what was measured here.
    named = sorted((r for r in limit.peak_rates if r.name == bound.peak), key=lambda r: r.vendor)
    return Reached(share, bound, named[0] if named else None)


def speed_phrase(timing: Timing) -> str:
    """1.01x faster forward, and at the device's memory limit; "" if nothing was timed."""
    speed, reference = headline(timing), name_of(timing, "reference")
    if speed is None:
        return ""
    if speed.verdict is None:
        return "speed not compared: other arithmetic"
    if speed.verdict == "UNCLEAR":
        return f"speed unclear: {_why_unclear(timing)}"
    if speed.verdict == "SAME":
        return f"same speed as {reference}"
    ratio = _telling_ratio(speed.ratio)
    if speed.verdict == "SLOWER":
        return f"{ratio} slower than {reference}"
    forward = " forward" if any(row.phase != "forward" for row in timing.rows) else ""
    limit = _limit_reached(timing)
    return f"{ratio} faster{forward}" + (f", and at {limit}" if limit else f" than {reference}")


def _why_unclear(timing: Timing) -> str:
    return "the clocks disagree" if _astray(timing) else "the times vary too much"


def unclear_step(timing: Timing) -> str:
    """What to do about a speed that is unclear; "" if it is not."""
    speed = headline(timing)
    if speed is None or speed.verdict != "UNCLEAR":
        return ""
    longer = "at a size where a call takes longer: --set" if _astray(timing) else "for longer: --budget"
    return f"Benchmark it again with nothing else on the device, or {longer}."


def with_short_speed(words: str, timing: Timing) -> str:
    """A verdict in two or three words with its speed: "correct, 1.61x slower", "correct, same speed"."""
    speed = headline(timing)
    if speed is None or speed.verdict is None:
        return words
    ends = {"SAME": "same speed", "UNCLEAR": "speed unclear"}
    return f"{words}, {ends.get(speed.verdict) or f'{numbers.ratio(speed.ratio)} {speed.verdict.lower()}'}"


def with_speed(sentence: str, timing: Timing) -> str:
    """A verdict's sentence with its speed: "Correct, but 1.61x slower than PyTorch eager"."""
    phrase, speed = speed_phrase(timing), headline(timing)
    if not phrase or speed is None:
        return sentence
    joints: dict[SpeedVerdict | None, str] = {"SLOWER": ", but ", "UNCLEAR": "; ", None: "; "}
    return sentence + joints.get(speed.verdict, ", ") + phrase


def against(speed: Speed, digits: int) -> str:
    """1.010x faster; 1.003x, same; other arithmetic"""
    return (
        ratio_words(speed.ratio, speed.verdict, digits) if speed.verdict is not None else "other arithmetic"
    )


def ratio_words(ratio: float, verdict: SpeedVerdict, digits: int) -> str:
    word = {"FASTER": " faster", "SLOWER": " slower", "SAME": ", same", "UNCLEAR": ", unclear"}[verdict]
    return numbers.ratio(ratio, digits) + word


def rows(timing: Timing, phase: Phase, cache_state: CacheState = "cold") -> list[Compared]:
    """Every program of a phase, candidate first and reference last, other arithmetic after it. One unit a column."""
    timed = [row for row in timing.rows if (row.phase, row.cache_state) == (phase, cache_state)]
    speeds = {row.program: speed_of(timing, row.program, phase, cache_state) for row in timed}
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
        found.append(Compared(row, speed, time, words))
    return found


def timed_in(timing: Timing, phase: Phase) -> CacheState | None:
    """The cache state that stands for a phase: cold if it was measured."""
    measured = {row.cache_state for row in timing.rows if row.phase == phase}
    return next((one for one in _ORDER if one in measured), None)


def training(timing: Timing) -> tuple[str, str] | None:
    """The candidate's training step: 6.22 ms, 1.20x faster"""
    cache_state = timed_in(timing, "training step")
    if cache_state is None:
        return None
    step = next((row for row in rows(timing, "training step", cache_state) if row.kind == "candidate"), None)
    return None if step is None else (step.time, step.against)


def training_conclusion(timing: Timing) -> str:
    """step 1.20x faster, 1/32 activation memory"""
    step = training(timing)
    return f"step {step[1]}" if step is not None and step[1] else ""


def kept(timing: Timing) -> tuple[int, int] | None:
    """Bytes that the candidate and the reference keep for the backward call."""
    found = {use.program: use.kept_bytes for use in timing.memory}
    ours, theirs = found.get(name_of(timing, "candidate")), found.get(name_of(timing, "reference"))
    return None if ours is None or theirs is None else (ours, theirs)


def kept_words(timing: Timing) -> str:
    """1/32 activation memory: what the candidate keeps for the backward call, of what the reference keeps."""
    both = kept(timing)
    if both is None or not both[1] or both[0] == both[1]:
        return ""
    ours, theirs = both
    if ours == 0:
        return "no activation memory"
    part = numbers.fraction(ours, theirs)
    return f"{part} of the activation memory" if part.endswith("%") else f"{part} activation memory"


def peak_words(timing: Timing) -> str:
    """1.50x less: the most memory that a call of the candidate takes, of what the reference takes"""
    peaks = {use.program: use.peak_bytes for use in timing.memory}
    ours, theirs = peaks.get(name_of(timing, "candidate")), peaks.get(name_of(timing, "reference"))
    if not ours or not theirs or ours == theirs:
        return ""
    return f"{numbers.ratio(ours / theirs)} {'more' if ours > theirs else 'less'}"


def timed_conclusion(timing: Timing) -> str:
    """3.015 ms, IQR 6 µs, 100 samples; 4 clocks agree"""
    ours = next((r for r in timing.rows if (r.role, r.phase, r.cache_state) == _HEADLINE), None)
    if ours is None:
        return lower_first(UNMEASURED) + (f": {timing.note}" if timing.note else "")
    times = rows(timing, "forward")
    dropped = f", {numbers.thousands(ours.dropped)} dropped" if ours.dropped else ""
    parts = [
        f"{times[0].time}, IQR {iqr(ours)}, {numbers.counted(ours.n, 'sample')}{dropped}",
        clocks_words(timing),
    ]
    return "; ".join(filter(None, parts))


def iqr(row: Timed) -> str:
    """6 µs: from the first to the third quartile"""
    return numbers.duration(row.q3_s - row.q1_s, 2)


def clocks_words(timing: Timing) -> str:
    """4 clocks agree; or which one does not"""
    astray = sorted({clock.name for clock in timing.clocks if not clock.agrees})
    if astray:
        return f"clocks disagree: {', '.join(astray)}"
    read = {clock.name for clock in timing.clocks if clock.seconds is not None}
    return f"{len(read)} clocks agree" if len(read) > 1 else ""


def launched(timing: Timing | None, profile: Profile | None) -> list[tuple[str, str]]:
    """launches 1, spills 0 B: of one forward call of the candidate, or of all that a profiled cell launched"""
    wanted = (name_of(timing, "candidate"), "forward")
    kernels = profile.kernels if profile is not None else []
    # A cell is not timed. What has no grid is a copy, or an operator on the CPU.
    ours = [k for k in kernels if (k.grid if timing is None else (k.program, k.phase) == wanted)]
    if not ours:
        return []
    spills = [kernel.spill_bytes for kernel in ours if kernel.spill_bytes is not None]
    found = [("launches", numbers.thousands(sum(kernel.calls for kernel in ours)))]
    return [*found, ("spills", f"{numbers.thousands(max(spills))} B")] if spills else found


def name_of(timing: Timing | None, role: Literal["candidate", "reference"]) -> str:
    default = "this kernel" if role == "candidate" else "PyTorch eager"
    rows = timing.rows if timing is not None else []
    return next((row.program for row in rows if row.role == role), default)


def _place(row: Timed, speed: Speed | None) -> int:
    if row.role == "candidate":
        return 0
    if row.role == "reference":
        return 2
    return 3 if speed is not None and speed.verdict is None else 1


def _unmeasured(question: Literal["Faster?", "Limit?"], timing: Timing, why: str = "") -> Fact:
    evidence = one_line("; ".join(filter(None, [why, timing.note])), 600)
    return Fact(question=question, answer=UNMEASURED, evidence=evidence, measured=False)


def _too_few(timing: Timing) -> str:
    """Why two programs that were timed have no ratio; "" if one of them was not timed, which the note explains."""
    both = {"candidate", "reference"} <= {row.role for row in timing.rows}
    return (
        "too few rounds in turn with the reference to compare; a longer --budget gives more" if both else ""
    )


def interval(speed: Speed | SweepPoint, digits: int) -> str:
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
    found = reached(timing)
    if found is None or limit_words.standing(found.share.share) != "reached":
        return ""
    _, bound, peak = found
    if peak is not None and peak.vendor:
        return f"{limit_words.peak_name(peak)} limit"
    memory = peak is None or peak.unit == "B/s"
    return "the device's memory limit" if memory else f"the device's {bound.peak} limit"


def _astray(timing: Timing) -> str:
    """wall slope reads 3.31 ms, device events 3.015 ms: the clock that does not agree, beside one that does"""
    ours = [c for c in timing.clocks if c.program == name_of(timing, "candidate") and c.seconds is not None]
    astray = next((clock for clock in timing.clocks if not clock.agrees and clock.seconds is not None), None)
    if astray is None:
        return ""
    other = next((c for c in ours if c.agrees and c.program == astray.program), None)
    shown = numbers.durations([c.seconds for c in (astray, other) if c is not None and c.seconds is not None])
    words = f"{astray.name} reads {shown[0]}"
    return words if other is None else f"{words}, {other.name} {shown[1]}"
