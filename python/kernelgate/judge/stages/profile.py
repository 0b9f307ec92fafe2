"""The profile stage: one call of each program traced, what that says of each kernel, and the device's counters.

In: the lineup of the time stage, still running. Out: `Profile`, and what was counted at each line, which `line_costs`
puts into it. What a worker says of its launches is data about the
candidate, and is shown as such; nothing is decided by it. Not here: the rows (`judge.timing.kernel_facts`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch

from kernelgate.atomic_write import write_whole
from kernelgate.judge.candidate.calls_apart import exact_sizes, replay_of
from kernelgate.judge.run_context import RunContext
from kernelgate.judge.timing.kernel_facts import add_bars, add_rates, build_facts, kernel_facts
from kernelgate.judge.timing.lineup import THIS, Lineup
from kernelgate.judge.timing.programs_under_test import LeftOut, ProgramUnderTest
from kernelgate.messages.measure import Trace
from kernelgate.messages.parcel import BadParcel
from kernelgate.report import one_line
from kernelgate.report.measured import Counter, Phase, Profile, Timing
from kernelgate.tools.cuobjdump import base_name, resources_of
from kernelgate.tools.ncu import Counted, closed, counted
from kernelgate.tools.ncu_lines import LineReading

_MOST_KERNELS = 10  # of one program in one phase: there are three programs and two phases


def profile(run: RunContext, lineup: Lineup) -> tuple[Profile, Sequence[LineReading]]:
    """Also what was counted at each line. Raises RunEnded as the candidate does. Afterwards the lineup is closed."""
    run.live.begin("profile", 2)
    run.live.doing("Tracing a call of each program", at_once=True)
    cache = Path(run.job.cache).resolve()
    # The candidate's process says where they are, so it is looked at.
    libraries = [path for path in map(Path, sorted(run.worker.libraries)) if _lies_in(path, cache)]
    trace_file = Path(run.job.trace) if run.job.trace else None
    found = _traced(lineup.programs, lineup.timing, run.target.torch_device, libraries, trace_file)
    run.live.show(profile=found)
    run.live.step("profile", "Reading the device's counters", at_once=True)
    lineup.close()  # the replay needs their memory
    counters = _counted(run)
    _add_counters(found, counters)
    return found, counters.lines


def _traced(
    programs: Sequence[ProgramUnderTest],
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
    lower_bounds = {bound.phase: bound for bound in (timing.limit.lower_bounds if timing.limit is not None else [])}
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
            profile.left_out += taken.left_out
            # The timeline: what the device did, and the host's launches; from the first of them.
            add_bars(profile, program.name, phase, [event for event in taken.events if event.kind != "operator"])
            resources = built if program.role == "candidate" else []
            facts = kernel_facts(
                program.name, phase, taken.events, resources, arch, properties.multi_processor_count
            )
            add_rates(facts, lower_bounds.get(phase))
            profile.kernels += facts[:_MOST_KERNELS]
    profile.builds = build_facts(built, profile.kernels)
    return profile


def _counted(run: RunContext) -> Counted:
    """What the device counts in a forward call of the candidate, in a process that ncu starts; or why nothing."""
    why = closed()
    if why:
        return Counted(why=why)
    sizes = exact_sizes(run.job, run.reference)
    with replay_of(run.job, sizes, run.target.index, run.seed) as replay:
        return counted(replay.command, replay.environment, replay.folder)


def _add_counters(profile: Profile, counted: Counted) -> None:
    profile.counters_note = counted.why
    for facts in profile.kernels:
        if (facts.program, facts.phase) != (THIS, "forward"):
            continue
        for reading in counted.readings:
            known = {counter.name for counter in facts.counters}
            is_its = base_name(facts.name) == base_name(reading.kernel) and reading.of(facts.grid, facts.block)
            if is_its and reading.name not in known:
                facts.counters.append(Counter(name=reading.name, value=reading.value, unit=reading.unit))


def _lies_in(path: Path, folder: Path) -> bool:
    return path.suffix == ".so" and path.resolve().is_relative_to(folder)
