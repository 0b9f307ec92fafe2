"""What a judge asks a worker for times, memory and traces, and what it answers.

In: nothing. Out: `Measure`, `Weigh`, `Trace` and their answers, which `messages.worker` puts among the others.
Not here: what the times mean (`timing`, docs/measuring.md), who takes them (`worker.stopwatch`).
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from kernelgate.check import MAX_TENSORS
from kernelgate.messages import Line
from kernelgate.messages.arguments import Argument
from kernelgate.messages.parcel import Parcel
from kernelgate.profiling.events import MAX_EVENTS, TraceEvent
from kernelgate.report.measured import CacheState, Phase

MAX_CALLS = 20_000
MAX_MOVE_BYTES = 1 << 24
MAX_SETTLE_S = 10.0


class Measure(msgspec.Struct, tag="measure"):
    """Call the module many times and say how long that took. `timing.clocks` explains the cache states.

    `calls`: in one reading; warm ones are repeated `repeats` times. `inputs`: of these calls and of later ones; none
    if those before are to be used. `seed`: of the values that are new before each cold call, without it they stay.
    `keep`: number of the call whose result comes back. `upstream`: the gradient of the result. `move`: bytes by which
    everything is moved in memory before, since two places are not equally fast. `settle_s`: seconds of calls that do
    not count, before those that do. `make_room`: memory that is cached is given back afterwards.
    """

    phase: Phase
    cache_state: CacheState
    calls: Annotated[int, Meta(ge=1, le=MAX_CALLS)]
    repeats: int = 1
    inputs: list[Argument] = []
    upstream: Parcel | None = None
    flush_bytes: int = 0
    seed: int | None = None
    keep: int = -1
    trace: bool = False
    move: Annotated[int, Meta(ge=0, le=MAX_MOVE_BYTES)] | None = None
    settle_s: Annotated[float, Meta(ge=0, le=MAX_SETTLE_S)] = 0.0
    make_room: bool = False


class Weigh(msgspec.Struct, tag="weigh"):
    """Say how much device memory a call with the inputs of the last `Measure` takes."""


class Trace(msgspec.Struct, tag="trace"):
    """Trace one call with the inputs of the last `Measure`. `whole`: with the trace as other programs read it."""

    phase: Phase
    whole: bool = False


class Span(msgspec.Struct):
    """Seconds of each of some calls that are traced: from the first start to the last end of what the device did, and
    by device events around the same calls, which tracing slows down."""

    calls: Annotated[int, Meta(ge=1)]
    span_s: Annotated[float, Meta(ge=0)]
    events_s: Annotated[float, Meta(ge=0)]


class Measured(msgspec.Struct, tag="measured"):
    """Seconds: of every call (cold) or a call of every repetition; of everything together, by the device and by the
    wall, in the last repetition. `spans`: of traced calls, if that was asked for and is possible. `outputs`: every
    tensor of the result that was to come back, of a backward pass every gradient, None if there is none."""

    each_s: Annotated[list[Annotated[float, Meta(ge=0)]], Meta(max_length=MAX_CALLS)]
    device_s: Annotated[float, Meta(ge=0)]
    wall_s: Annotated[float, Meta(ge=0)]
    spans: Annotated[list[Span], Meta(max_length=2)] = []
    outputs: Annotated[list[Parcel | None], Meta(max_length=MAX_TENSORS)] = []
    not_possible: Line | None = None


class Weighed(msgspec.Struct, tag="weighed"):
    """Bytes: at most beside the inputs and the module; and kept for the backward call, None if there is none."""

    peak_bytes: Annotated[int, Meta(ge=0)]
    kept_bytes: Annotated[int, Meta(ge=0)] | None


class TraceTaken(msgspec.Struct, tag="trace_taken"):
    """`left_out`: events beyond those. `whole`: bytes of a file for Chrome and Perfetto."""

    events: Annotated[list[TraceEvent], Meta(max_length=MAX_EVENTS)]
    left_out: Annotated[int, Meta(ge=0)] = 0
    whole: Parcel | None = None
