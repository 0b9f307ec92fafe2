"""What the stages time and profile measured: times, speeds, limits, launches. This is the data behind every chart.

In: nothing. Out: the types below, a part of the report's. All times are in seconds, all sizes in bytes.
Not here: how they are measured (`timing`, `profile`) and how they read (`report.text`, the MIME renderer).
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from kernelgate.report.line_facts import LineBuild, LineCost
from kernelgate.report.record import Count, Log, Name, Part, Rate, Ratio, Record, Seconds, Words

Phase = Literal["forward", "backward", "training step"]
CacheState = Literal[
    "cold",  # the caches are flushed before each call
    "warm",  # calls follow each other, with what they left in the caches
    "graph",  # the same, replayed from a CUDA graph: without the cost of launching from Python
]
SpeedVerdict = Literal["FASTER", "SLOWER", "SAME", "UNCLEAR"]


class Timed(Record, kw_only=True):
    """Times of one program, in one phase and cache state. Seconds a call; `samples_s` in the order of taking, thinned
    evenly if there are more than fit, `n` of them in all."""

    program: Name
    """"this kernel", "PyTorch eager", "torch.compile", ..."""
    role: Literal["candidate", "reference", "other"]
    phase: Phase
    cache_state: CacheState
    median_s: Seconds
    q1_s: Seconds
    q3_s: Seconds
    n: Count
    dropped: Count = 0
    """Samples that were left out because the device was slowed down meanwhile."""
    samples_s: Annotated[list[Seconds], Meta(max_length=300)] = []
    time: Name = ""
    """The median as shown, with the digits that distinguish the programs of one comparison: "3.015 ms"."""
    against: Name = ""
    """As shown: "1.010x faster", "1.003x, same", "other arithmetic", "reference"."""


class Speed(Record, kw_only=True):
    """A program against the reference: the ratio of medians, above 1 where the program is faster."""

    program: Name
    phase: Phase
    cache_state: CacheState
    ratio: Ratio
    low: Ratio
    high: Ratio
    """95 % bootstrap interval of the ratio."""
    band: Ratio
    """The noise band reaches from 1 / band to band: the reference against itself."""
    verdict: SpeedVerdict | None = None
    """None if the two do not compute with the same accuracy: they are not compared."""
    note: Words = ""


class Clock(Record, kw_only=True):
    """One way to measure the time of the same calls. Seconds a call, calls following each other."""

    program: Name
    name: Literal["device events", "device trace span", "wall with synchronization", "wall slope"]
    seconds: Seconds | None = None
    """None if it could not be read; `note` says why."""
    against_s: Seconds | None = None
    """The device events around the same calls, where those are not the first clock's: tracing slows calls down."""
    agrees: bool = True
    note: Words = ""


class MemoryUse(Record, kw_only=True):
    """Bytes of device memory of one program: the most that a call took beside its inputs, and what a forward call keeps
    for the backward one."""

    program: Name
    peak_bytes: Count
    kept_bytes: Count | None = None


class PeakRate(Record, kw_only=True):
    """The best rate that this device reached: bytes a second, or operations a second. `vendor`: as the data sheet
    says."""

    name: Name
    """"device copy", "fp32", "TF32", "FP16", "BF16"."""
    unit: Literal["B/s", "FLOP/s"]
    rate: Annotated[float, Meta(gt=0, le=1e24)]
    vendor: bool = False


class Share(Record, kw_only=True):
    """How close one program comes to the limit of its phase. `share`: lower bound over median, 1 at the limit."""

    program: Name
    phase: Phase
    share: Part
    rate: Rate
    """Of the bound's bytes or operations, by its unit."""
    percent: Name = ""
    """`share` as shown: "63%"; up to 1 % beyond the limit reads "100%"."""


class LowerBound(Record, kw_only=True):
    """The least time a phase can take: its bytes read and written once, or its operations, at the slower of the two
    peak rates."""

    phase: Phase
    bytes: Count
    flops: Count
    seconds: Seconds
    peak: Name


class Prediction(Record, kw_only=True):
    """A time on a device that is not here. Never a measurement."""

    device: Name
    program: Name
    phase: Phase
    seconds: Seconds
    assumptions: Words


class Limit(Record, kw_only=True):
    peak_rates: Annotated[list[PeakRate], Meta(max_length=16)] = []
    lower_bounds: Annotated[list[LowerBound], Meta(max_length=3)] = []
    shares: Annotated[list[Share], Meta(max_length=24)] = []
    predictions: Annotated[list[Prediction], Meta(max_length=8)] = []
    reached: Literal["", "reached", "below", "not believed"] = ""
    """Where the candidate's forward call stands against its limit; empty if it was not measured."""


class SweepPoint(Record, kw_only=True):
    """One size of a sweep: the forward call, cold."""

    shape: Name
    elements: Count
    candidate_s: Seconds
    reference_s: Seconds
    ratio: Ratio
    low: Ratio
    high: Ratio
    verdict: SpeedVerdict


class Timing(Record, kw_only=True):
    """What the time stage measured, or why it did not (`note`)."""

    shape: Name
    rows: Annotated[list[Timed], Meta(max_length=40)] = []
    speeds: Annotated[list[Speed], Meta(max_length=40)] = []
    clocks: Annotated[list[Clock], Meta(max_length=12)] = []
    memory: Annotated[list[MemoryUse], Meta(max_length=6)] = []
    limit: Limit | None = None
    sweep: Annotated[list[SweepPoint], Meta(max_length=60)] = []
    verified: Count = 0
    """Timed calls whose results were compared with the reference's."""
    sm_clock_mhz: Annotated[list[Count], Meta(max_length=2)] = []
    """The lowest and the highest while times were taken."""
    temperature_c: Count | None = None
    power_w: Count | None = None
    disturbed: Words = ""
    """What else happened on the device."""
    spent_s: Seconds = 0.0
    note: Words = ""
    headline_times: Words = ""
    """As shown: "3.015 ms against 3.046 ms"."""


class Launch(Record, kw_only=True):
    """One bar of the timeline. Seconds from the start of the call."""

    program: Name
    phase: Phase
    kind: Literal["kernel", "copy", "set", "launch", "operator"]
    name: Annotated[str, Meta(max_length=300)]
    start_s: Seconds
    seconds: Seconds
    stream: Count = 0


class Counter(Record, kw_only=True):
    """Something that the device itself counted."""

    name: Name
    value: Annotated[float, Meta(ge=-1e24, le=1e24)]
    unit: Name = ""


class KernelFacts(Record, kw_only=True):
    """One CUDA kernel in one phase. Times and rates are measured; bytes and operations are counted from the problem."""

    program: Name
    phase: Phase
    name: Annotated[str, Meta(max_length=300)]
    calls: Count
    seconds: Seconds
    """For all its calls together."""
    grid: Annotated[list[Count], Meta(max_length=3)] = []
    block: Annotated[list[Count], Meta(max_length=3)] = []
    registers: Count | None = None
    static_shared_bytes: Count | None = None
    dynamic_shared_bytes: Count | None = None
    spill_bytes: Count | None = None
    """Bytes of local memory a thread."""
    occupancy: Part | None = None
    """Theoretical: warps that fit on a multiprocessor, of those it can hold."""
    occupancy_limit: Name = ""
    """"registers", "shared memory", "block size", ..."""
    waves: Part | None = None
    """Blocks of the grid over blocks that the device holds at once."""
    bytes_per_s: Rate | None = None
    flops_per_s: Rate | None = None
    counters: Annotated[list[Counter], Meta(max_length=12)] = []


class BuildFacts(Record, kw_only=True):
    """What the compiler says about one kernel for an architecture, which need not be this machine's."""

    name: Annotated[str, Meta(max_length=300)]
    arch: Name
    registers: Count
    static_shared_bytes: Count
    spill_bytes: Count
    occupancy: Part | None = None
    occupancy_limit: Name = ""
    threads: Count | None = None
    """Of a block, where the program's text says."""
    dynamic_shared_bytes: Count | None = None
    stack_bytes: Count | None = None
    constant_bytes: Count | None = None


class ArchBuild(Record, kw_only=True):
    """What a compiler of device code says about a program for one architecture.

    refused: no GPU's compiler builds it. unsupported: it does not build for this architecture. not looked at: the
    answer is not known; `why` in each case.
    """

    arch: Name
    state: Literal["compiled", "refused", "unsupported", "not looked at"]
    why: Words = ""
    cubin_bytes: Count = 0


class Listing(Record, kw_only=True):
    """Compiled code as text, the middle left out if it is long; `lines` of the whole."""

    arch: Name
    kind: Literal["PTX", "SASS"]
    text: Log
    lines: Count


class DeviceCode(Record, kw_only=True):
    """The device compile check of a program's kernels: compiled, not run. `compiler`: "NVRTC 13.0"; "": there is
    none."""

    compiler: Name = ""
    builds: Annotated[list[ArchBuild], Meta(max_length=4)] = []
    kernels: Annotated[list[BuildFacts], Meta(max_length=64)] = []
    left_out: Annotated[list[Name], Meta(max_length=32)] = []
    """Kernels whose template arguments the program's text does not name."""
    more: Count = 0
    """Further sets of template arguments, which were not compiled."""
    listings: Annotated[list[Listing], Meta(max_length=8)] = []
    """Where they were asked for."""
    lines: Annotated[list[LineBuild], Meta(max_length=48)] = []
    """Of a profile, for the first architecture: those where something helps first."""


class Profile(Record, kw_only=True):
    """What the profile stage saw, or why it saw nothing (`note`)."""

    timeline: Annotated[list[Launch], Meta(max_length=600)] = []
    kernels: Annotated[list[KernelFacts], Meta(max_length=64)] = []
    builds: Annotated[list[BuildFacts], Meta(max_length=64)] = []
    lines: Annotated[list[LineCost], Meta(max_length=64)] = []
    """What each line costs, the costliest first: counted in emulation, with a GPU by it too."""
    counters_note: Words = ""
    """Where the device's counters could not be read: why, and what an administrator can set."""
    peak_bytes: Count | None = None
    left_out: Count = 0
    """Bars of the timeline that there was no room for."""
    note: Words = ""
