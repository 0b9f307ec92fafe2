"""Compares the clocks of one program, for calls that follow each other: they must agree.

In: a program under test, and roughly how long a call takes. Out: a `Clock` each, with what a difference usually means.
A candidate can make a clock lie that the worker reads, or work if it does not see it. It cannot do so to the judge's
own wall clock. That takes the slope, (T(2n) - T(n)) / n, from which everything drops out that happens once. It is
compared with the slope of the device events around the same calls: where Python's launches take longer than the work,
two runs of the same calls may differ by a tenth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from kernelgate.judge.timing.programs_under_test import ProgramUnderTest, Taken
from kernelgate.messages.measure import MAX_CALLS, Measure, Span
from kernelgate.report.measured import Clock

_LONG_S = 0.1
_FEWEST_CALLS, _FEWEST_LONG_CALLS = 8, 2
_SLOPES = 3
_AGREE, _AGREE_S = 0.01, 2e-6
_LOOKS = 3  # something else may have come between

_MEANS = {
    "device trace span": "the device worked longer than the current stream's events say: another stream?",
    "wall with synchronization": "work goes on behind the current stream's events: another stream, or a thread?",
    "wall slope": "the judge waits longer than the worker's clocks say: they, or the work, are elsewhere",
}


def hold_clocks(program: ProgramUnderTest, once_s: float) -> list[Clock]:
    """Raises RunEnded and LeftOut as the program does."""
    is_long = once_s > _LONG_S
    fewest = _FEWEST_LONG_CALLS if is_long else _FEWEST_CALLS
    calls = max(fewest, min(MAX_CALLS // 2, math.ceil(_LONG_S / max(once_s, 1e-6))))
    clocks: list[Clock] = []
    for _ in range(1 if is_long else _LOOKS):
        clocks = _read(program, calls)
        if all(clock.agrees for clock in clocks):
            break
    return clocks


def _read(program: ProgramUnderTest, calls: int) -> list[Clock]:
    def taken(count: int, *, trace: bool = False) -> Taken:
        found = program.measure(Measure(phase="forward", cache_state="warm", calls=count, trace=trace))
        found.close()
        return found

    def slopes() -> tuple[float, float]:
        """Of the judge's wall clock, and of the events."""
        twice, simple = taken(2 * calls), taken(calls)
        wall = twice.wall_s - simple.wall_s
        return wall / calls, (twice.measured.device_s - simple.measured.device_s) / calls

    wall, paired = sorted((slopes() for _ in range(_SLOPES)), key=lambda pair: pair[0] - pair[1])[
        _SLOPES // 2
    ]
    last = taken(calls, trace=True).measured
    events = last.device_s / calls
    span = _longest_beside_events(last.spans)
    found = [
        Clock(program=program.name, name="device events", seconds=events),
        # Tracing slows calls down, by a tenth where a kernel has millions of blocks.
        Clock(
            program=program.name,
            name="device trace span",
            seconds=span.span_s if span is not None else None,
            against_s=span.events_s if span is not None else None,
        ),
        Clock(program=program.name, name="wall with synchronization", seconds=last.wall_s / calls),
        Clock(program=program.name, name="wall slope", seconds=max(0.0, wall), against_s=max(0.0, paired)),
    ]
    for clock in found:
        if clock.seconds is None:
            clock.note = "the device's trace could not be read"
            continue
        apart = clock.seconds - (events if clock.against_s is None else clock.against_s)
        if abs(apart) > _allowed_s(events):
            clock.agrees = False
            clock.note = _MEANS[clock.name] if apart > 0 else "less than the device events say"
    return found


def _longest_beside_events(spans: Sequence[Span]) -> Span | None:
    """Of many calls, unless the device works longer behind a single one. What outlasts each call is seen of many behind
    the last alone; of a single one, the trace may be shorter than the events by what these take themselves."""
    many = next((span for span in spans if span.calls > 1), None)
    one = next((span for span in spans if span.calls == 1), many)
    if one is not None and one.span_s - one.events_s > _allowed_s(one.events_s):
        return one
    return many


def _allowed_s(seconds: float) -> float:
    return max(_AGREE * seconds, _AGREE_S)
