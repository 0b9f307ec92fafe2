"""What a trace and a build say of each kernel, as rows of a report.

In: trace events, resources of what was built. Out: `Launch`, `KernelFacts`, `BuildFacts`. All of it is data about the
candidate, and decides nothing. Not here: tracing (`judge.stages.profile`).
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence

from kernelgate.profiling.events import TraceEvent
from kernelgate.profiling.occupancy import occupancy
from kernelgate.report import one_line
from kernelgate.report.measured import BuildFacts, KernelFacts, Launch, LowerBound, Phase, Profile
from kernelgate.tools.cuobjdump import Resources

_MOST_BARS = 100  # of one program in one phase: there are three programs and two phases
_NAME = 300


def add_bars(profile: Profile, program: str, phase: Phase, bars: Sequence[TraceEvent]) -> None:
    """Puts events on the timeline, the first ones first; those that do not fit are counted."""
    first = bars[0].start_s if bars else 0.0
    profile.left_out += max(0, len(bars) - _MOST_BARS)
    for event in bars[:_MOST_BARS]:
        profile.timeline.append(
            Launch(
                program=program,
                phase=phase,
                kind=event.kind,
                name=one_line(event.name, _NAME),
                start_s=max(0.0, event.start_s - first),
                seconds=event.seconds,
                stream=event.stream,
            )
        )


def kernel_facts(
    program: str,
    phase: Phase,
    events: Sequence[TraceEvent],
    built: Sequence[Resources],
    arch: str,
    multiprocessors: int,
) -> list[KernelFacts]:
    """One row for each kernel and launch configuration, the longest first."""
    groups: dict[tuple[str, tuple[int, ...], tuple[int, ...]], list[TraceEvent]] = defaultdict(list)
    for event in events:
        if event.kind == "kernel":
            groups[event.name, tuple(event.grid), tuple(event.block)].append(event)
    found = []
    for (name, grid, block), launches in groups.items():
        one = launches[0]
        its = (r for r in built if r.arch.rstrip("a") == arch and _same_kernel(name, r.kernel))
        own = next(its, None)
        threads = math.prod(block) if block else 0
        static = own.static_shared_bytes if own is not None else None
        total = one.shared_bytes or 0
        fits = occupancy(arch, threads, one.registers or 0, total)
        found.append(
            KernelFacts(
                program=program,
                phase=phase,
                name=one_line(name, _NAME),
                calls=len(launches),
                seconds=sum(event.seconds for event in launches),
                grid=[max(0, n) for n in grid],
                block=[max(0, n) for n in block],
                registers=one.registers,
                static_shared_bytes=static,
                dynamic_shared_bytes=max(0, total - static) if static is not None else total,
                spill_bytes=own.spill_bytes if own is not None else None,
                occupancy=fits.share if fits is not None else None,
                occupancy_limit=fits.limit if fits is not None else "",
                waves=math.prod(grid) / (fits.blocks * multiprocessors)
                if fits is not None and grid
                else None,
            )
        )
    return sorted(found, key=lambda facts: -facts.seconds)


def operator_facts(program: str, events: Sequence[TraceEvent]) -> list[KernelFacts]:
    """The same for PyTorch's operators, if there is no device: how often, and how long in all."""
    groups: dict[str, list[TraceEvent]] = defaultdict(list)
    for event in events:
        groups[event.name].append(event)
    found = [
        KernelFacts(
            program=program,
            phase="forward",
            name=one_line(name, _NAME),
            calls=len(calls),
            seconds=sum(event.seconds for event in calls),
        )
        for name, calls in groups.items()
    ]
    return sorted(found, key=lambda facts: -facts.seconds)[:64]


def add_rates(facts: list[KernelFacts], bound: LowerBound | None) -> None:
    """Where one kernel does all the work, its rates are those of the phase; with several, it is not known which moved
    what."""
    if bound is None or len(facts) != 1 or facts[0].seconds <= 0:
        return
    once = facts[0].seconds
    facts[0].bytes_per_s = bound.bytes / once
    facts[0].flops_per_s = bound.flops / once if bound.flops else None


def build_facts(built: Sequence[Resources], kernels: Sequence[KernelFacts]) -> list[BuildFacts]:
    """What the compiler says, for every architecture, of the kernels that were launched, with their occupancy there; of
    all of them if no launch is known."""
    found = []
    launched = any(_same_kernel(k.name, one.kernel) for k in kernels for one in built)
    for one in built:
        seen = next((k for k in kernels if _same_kernel(k.name, one.kernel)), None)
        if launched and seen is None:
            continue
        fits = None
        if seen is not None:
            shared = one.static_shared_bytes + (seen.dynamic_shared_bytes or 0)
            fits = occupancy(one.arch, math.prod(seen.block), one.registers, shared)
        found.append(
            BuildFacts(
                name=one_line(one.kernel, _NAME),
                arch=one_line(one.arch, 120),
                registers=one.registers,
                static_shared_bytes=one.static_shared_bytes,
                spill_bytes=one.spill_bytes,
                occupancy=fits.share if fits is not None else None,
                occupancy_limit=fits.limit if fits is not None else "",
            )
        )
    return found[:64]


def _same_kernel(traced: str, dumped: str) -> bool:
    """Trace and compiler space a kernel's signature differently."""
    return re.sub(r"\s+", "", traced) == re.sub(r"\s+", "", dumped)
