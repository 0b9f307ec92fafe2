"""What ran on the device, and what a compiler says that the kernels take, as sections."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kernelgate.report import build_words, cost_words, device_words, numbers, speed_words
from kernelgate.report.blocks import Picture, Row, Section, Table
from kernelgate.report.line_facts import LineBuild, LineCost
from kernelgate.report.measured import BuildFacts, Counter, DeviceCode, KernelFacts, Phase, Profile, Timing
from kernelgate.report.sections.making import items, note, row, section, table, text
from kernelgate.report.types import Report
from kernelgate.report.wording import upper_first

_PHASES: tuple[Phase, ...] = ("forward", "backward", "training step")
_HOST = ("launch", "operator")


def profile(report: Report) -> Section | None:
    found = report.profile
    if found is None:
        return None
    # A cell that is no candidate ran as a whole, and is all there is to see.
    phased = report.verdict is None or report.verdict.kind != "profiled"
    notes = [
        found.counters_note,
        f"Bars left out of the timeline: {numbers.thousands(found.left_out)}" if found.left_out else "",
        f"Peak memory of the run: {numbers.size(found.peak_bytes)}" if found.peak_bytes is not None else "",
        found.note,
    ]
    blocks = [
        *_timelines(found, phased=phased),
        _costs(found.lines),
        _kernels(found, report.timing, phased=phased),
        _builds(found.builds),
        *map(note, notes),
    ]
    return section("profile", "Profile", _conclusion(report.timing, found), blocks)


def _conclusion(timing: Timing | None, profile: Profile) -> str:
    """launches 1, spills 0 B"""
    if profile.lines and not profile.kernels:
        return cost_words.conclusion(profile.lines)
    found = ", ".join(f"{name} {value}" for name, value in speed_words.launched(timing, profile))
    return found or profile.note or "nothing was launched"


def _timelines(found: Profile, *, phased: bool) -> Iterable[Picture]:
    of_operators = is_of_operators(found)
    host = not of_operators and any(launch.kind in _HOST for launch in found.timeline)
    name = "Operator timeline" if of_operators else "Kernel timeline"
    hint = f"one bar {'an operator' if of_operators else 'a launch'}{', thin: on the host' if host else ''}"
    for phase in _PHASES:
        if any(launch.phase == phase for launch in found.timeline):
            title = f"{name}, {phase}" if phased else name
            yield Picture(of="timeline", title=title, hint=f"{hint}; gaps stay empty", phase=phase)


def is_of_operators(found: Profile) -> bool:
    """Whether no device was traced: the host's operators are what there is to see."""
    return bool(found.timeline) and all(launch.kind in _HOST for launch in found.timeline)


def _costs(lines: Sequence[LineCost]) -> Table | None:
    """With a column for the GPU's own counters if there are any."""
    on_gpu = any(line.gpu is not None for line in lines)
    rows = [
        (
            line.kernel,
            row(
                cost_words.place(line),
                cost_words.cost(line),
                *([cost_words.gpu_cost(line)] if on_gpu else []),
                cost_words.lanes(line),
                line=line.line,
                details=[line.text, cost_words.advice(line)],
            ),
        )
        for line in lines
    ]
    by = "in emulation and by ncu on the GPU" if on_gpu else "in emulation"
    columns = ("Line", "A request costs|number", *(["On the GPU|number"] if on_gpu else []), "Lanes|number")
    return table(
        "Cost of each line", columns, _grouped(rows), hint=f"counted for a request of a warp, {by}; no times"
    )


def _grouped(rows: Iterable[tuple[str, Row]]) -> list[tuple[str, list[Row]]]:
    """By their first words, in the order of these."""
    groups: dict[str, list[Row]] = {}
    for name, one in rows:
        groups.setdefault(name, []).append(one)
    return list(groups.items())


def _kernels(found: Profile, timing: Timing | None, *, phased: bool) -> Table | None:
    """Every kernel with its launch and what it needs of a multiprocessor; on the CPU, what the host did."""
    if is_of_operators(found):
        longest = sorted(found.kernels, key=lambda one: -one.seconds)
        rows = [row(one.name, numbers.thousands(one.calls), numbers.duration(one.seconds)) for one in longest]
        columns = ("PyTorch operator|code", "Calls|number", "Time|number")
        return table("Operators", columns, [("", rows)], hint="the longest first")
    ours = speed_words.name_of(timing, "candidate")
    named = []
    for one in found.kernels:
        program = upper_first(one.program) if one.program == ours or not phased else one.program
        named.append((f"{program}, {one.phase}" if phased else program, _kernel(one)))
    return table(
        "Launches and resources",
        (
            "CUDA kernel|kernel",
            "Launches|number",
            "Time|number",
            "Registers|number",
            "Shared|number",
            "Spills|number",
            "Occupancy|number",
            "Rate|number",
        ),
        _grouped(named),
        hint="times measured; bytes and FLOP counted from the shapes",
    )


def _kernel(one: KernelFacts) -> Row:
    """Below it what no column has room for: the launch, and what bounds it."""
    rates = [numbers.rate(one.bytes_per_s, "B/s")] if one.bytes_per_s else []
    rates += [numbers.rate(one.flops_per_s, "FLOP/s")] if one.flops_per_s else []
    size = f"grid x block {_sizes(one.grid)} x {_sizes(one.block)}" if one.grid and one.block else ""
    waves = f"{_waves(one.waves)} waves" if one.waves is not None else ""
    counted = "; ".join(map(_counter, one.counters))
    return row(
        one.name,
        numbers.thousands(one.calls),
        numbers.duration(one.seconds),
        "–" if one.registers is None else f"{one.registers}",
        _shared(one.static_shared_bytes, one.dynamic_shared_bytes),
        _bytes(one.spill_bytes),
        device_words.occupancy(one) or "–",
        ", ".join(rates) or "–",
        details=[
            "; ".join(filter(None, [size, waves])),
            f"counted by the device: {counted}" if counted else "",
        ],
    )


def _sizes(sizes: Sequence[int]) -> str:
    return ", ".join(numbers.thousands(size) for n, size in enumerate(sizes) if n == 0 or size > 1)


def _waves(waves: float) -> str:
    """Hundredths of a wave, and no finer: "0.07", "<0.01", "1,489"."""
    if 0 < waves < 0.01:
        return "<0.01"
    return (
        numbers.thousands(round(waves)) if waves >= 100 else f"{waves:.3g}" if waves >= 1 else f"{waves:.2f}"
    )


def _counter(one: Counter) -> str:
    """DRAM bytes 12.9 GB"""
    if one.unit == "s":
        return f"{one.name} {numbers.duration(one.value)}"
    words = numbers.size(one.value) if one.unit == "B" else f"{numbers.significant(one.value)} {one.unit}"
    return f"{one.name} {words}".rstrip()


def _shared(fixed: int | None, dynamic: int | None) -> str:
    return "–" if fixed is None and dynamic is None else numbers.kibibytes((fixed or 0) + (dynamic or 0))


def _bytes(count: int | None) -> str:
    return "–" if count is None else f"{numbers.thousands(count)} B"


def _builds(builds: Sequence[BuildFacts]) -> Table | None:
    """What the compiler says of each kernel, for each architecture."""
    rows = [
        (
            one.arch,
            row(
                one.name,
                numbers.thousands(one.registers),
                _shared(one.static_shared_bytes, one.dynamic_shared_bytes),
                _bytes(one.spill_bytes),
                device_words.occupancy(one) or "–",
                details=[f"{numbers.counted(one.threads, 'thread')} a block"]
                if one.threads is not None
                else [],
            ),
        )
        for one in sorted(builds, key=lambda one: one.arch)
    ]
    columns = ("CUDA kernel|kernel", "Registers|number", "Shared|number", "Spills|number", "Occupancy|number")
    return table("Build", columns, _grouped(rows), hint="as the compiler says; nothing here was run")


def device_code(report: Report) -> Section | None:
    """What a compiler for GPUs that are not here says of the kernels."""
    found = report.device_code
    if found is None or not found.builds:
        return None
    blocks = [
        items([*_states(found), ("Not instantiated", ", ".join(found.left_out)), _more(found)]),
        _builds(found.kernels),
        _line_builds(found.lines),
        *(text(f"{one.kind} for {one.arch}", one.text, one.lines) for one in found.listings),
    ]
    name = f"Build for {device_words.device_code_place(found)}"
    return section("device-code", name, device_words.device_code_conclusion(found), blocks)


def _states(found: DeviceCode) -> Iterable[tuple[str, str]]:
    """An architecture, and how it was built."""
    for build in found.builds:
        gpu = device_words.GPUS.get(build.arch, "")
        cubin = f"cubin {numbers.size(build.cubin_bytes)}" if build.cubin_bytes else ""
        said = " · ".join(filter(None, [upper_first(build.state), build.why, cubin, found.compiler]))
        yield f"{gpu} ({build.arch})" if gpu else build.arch, said


def _more(found: DeviceCode) -> tuple[str, str]:
    return "Further template arguments", numbers.thousands(found.more) if found.more else ""


def _line_builds(lines: Sequence[LineBuild]) -> Table | None:
    rows = [
        (
            line.kernel,
            row(
                f"line {line.line}" if line.line is not None else "elsewhere",
                build_words.words(line),
                line=line.line,
                details=[line.text, build_words.advice(line)],
            ),
        )
        for line in lines
    ]
    hint = "in the compiled code, each counted once; no times"
    return table("Instructions of each line", ("Line", "Instructions|number"), _grouped(rows), hint=hint)
