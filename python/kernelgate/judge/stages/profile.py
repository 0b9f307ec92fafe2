"""The profile stage, as the judge conducts it: one call of each program, traced, and what that says of each kernel.

In: the programs of the time stage, still running. Out: `report.profile`.
What a worker says of its launches is data about the candidate, and is shown as such; nothing is decided by it.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import torch

from kernelgate.atomic_write import write_whole
from kernelgate.judge.reference import Reference
from kernelgate.judge.replay_call import exact_sizes, replay_of
from kernelgate.judge.timing.programs_under_test import Contestant, LeftOut
from kernelgate.messages.job import Job
from kernelgate.messages.parcel import BadParcel
from kernelgate.messages.worker import Trace, TraceTaken
from kernelgate.profile.events import TraceEvent
from kernelgate.profile.occupancy import occupancy
from kernelgate.report import one_line
from kernelgate.report.measured import BuildFacts, Counter, Floor, KernelFacts, Launch, Phase, Profile, Timing
from kernelgate.tools.cuobjdump import Resources, base_name, resources_of
from kernelgate.tools.ncu import Reading, closed, readings

_MOST_BARS = 150  # of one program in one phase
_MOST_KERNELS = 12
_NAME = 300


def profile_programs(
    programs: Sequence[Contestant],
    timing: Timing,
    device: torch.device,
    libraries: Sequence[Path],
    trace_file: Path | None,
) -> Profile:
    """Traces all programs in the phases that were timed. The candidate's forward call goes to `trace_file` as well.

    Raises RunEnded as the candidate does.
    """
    profile = Profile()
    properties = torch.cuda.get_device_properties(device)
    arch = f"sm_{properties.major}{properties.minor}"
    built = [r for path in libraries for r in resources_of(path)]
    phases: list[Phase] = [p for p in ("forward", "backward") if any(row.phase == p for row in timing.rows)]
    floors = {floor.phase: floor for floor in (timing.limit.floors if timing.limit is not None else [])}
    for program in programs:
        for phase in phases:
            whole = trace_file is not None and (program.role, phase) == ("candidate", "forward")
            try:
                taken, data = program.trace(Trace(phase=phase, whole=whole))
                if trace_file is not None and whole:
                    write_whole(trace_file, data)
            except (LeftOut, BadParcel, OSError) as exc:
                profile.note = one_line("; ".join(filter(None, [profile.note, str(exc)])), 600)
                break
            _add_launches(profile, program.name, phase, taken)
            resources = built if program.role == "candidate" else []
            facts = kernel_facts(
                program.name, phase, taken.events, resources, arch, properties.multi_processor_count
            )
            _add_rates(facts, floors.get(phase))
            profile.kernels += facts[:_MOST_KERNELS]
    profile.builds = build_facts(built, profile.kernels)
    return profile


def _add_launches(profile: Profile, program: str, phase: Phase, taken: TraceTaken) -> None:
    """The bars of the timeline: what the device did, and the host's launches; from the first of them."""
    profile.left_out += taken.left_out
    add_bars(profile, program, phase, [event for event in taken.events if event.kind != "operator"])


def add_bars(profile: Profile, program: str, phase: Phase, bars: Sequence[TraceEvent]) -> None:
    """Puts events on the timeline, from the first of them on; those beyond what fits are counted."""
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
    """One for each kernel and form of launch, the longest first."""
    groups: dict[tuple[str, tuple[int, ...], tuple[int, ...]], list[TraceEvent]] = defaultdict(list)
    for event in events:
        if event.kind == "kernel":
            groups[event.name, tuple(event.grid), tuple(event.block)].append(event)
    found = []
    for (name, grid, block), launches in groups.items():
        one = launches[0]
        own = _own(name, built, arch)
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
    """The same of PyTorch's operators, where there is no device: how often, and how long together."""
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


def _add_rates(facts: list[KernelFacts], floor: Floor | None) -> None:
    """Where one kernel does all the work, its rates are those of the phase; of several nobody knows who moved what."""
    if floor is None or len(facts) != 1 or facts[0].seconds <= 0:
        return
    once = facts[0].seconds
    facts[0].bytes_per_s = floor.bytes / once
    facts[0].flops_per_s = floor.flops / once if floor.flops else None


def build_facts(built: Sequence[Resources], kernels: Sequence[KernelFacts]) -> list[BuildFacts]:
    """What the compiler says, for every architecture, of the kernels that were launched, with their occupancy there; of
    all of them where no launch is known."""
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


def _own(name: str, built: Sequence[Resources], arch: str) -> Resources | None:
    return next(
        (one for one in built if one.arch.rstrip("a") == arch and _same_kernel(name, one.kernel)), None
    )


def _same_kernel(traced: str, dumped: str) -> bool:
    """Trace and compiler write a kernel's signature with other blanks."""
    return re.sub(r"\s+", "", traced) == re.sub(r"\s+", "", dumped)


def replayed(job: Job, reference: Reference, index: int, seed: int) -> tuple[list[Reading], str]:
    """What the device counts in a forward call of the candidate, in a process that ncu starts."""
    why = closed()
    if why:
        return [], why
    with replay_of(job, exact_sizes(job, reference), index, seed) as replay:
        return readings(replay.command, replay.environment)


def add_counters(profile: Profile, counted: tuple[list[Reading], str], program: str) -> None:
    """Puts what was counted beside the kernels that were traced, the first launch of each."""
    found, profile.counters_note = counted
    for facts in profile.kernels:
        if (facts.program, facts.phase) != (program, "forward"):
            continue
        for reading in found:
            known = {counter.name for counter in facts.counters}
            if base_name(facts.name) == base_name(reading.kernel) and reading.name not in known:
                facts.counters.append(Counter(name=reading.name, value=reading.value, unit=reading.unit))
