"""What was timed and profiled, as folded tables of HTML; each summary states its conclusion.

In: a `Report`. Out: `Html`, nothing where nothing was measured.
Not here: the three facts (`report.html`), the words of a speed (`report.speed_words`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kernelgate.report import build_words, cost_words, limit_words, numbers, speed_words, table_words
from kernelgate.report.device_words import device_code_conclusion, device_code_place
from kernelgate.report.markup import Html, column, details, join, table, tag
from kernelgate.report.measured import (
    BuildFacts,
    Clock,
    DeviceCode,
    KernelFacts,
    Listing,
    Phase,
    Profile,
    SweepPoint,
    Timing,
)
from kernelgate.report.types import Report
from kernelgate.report.wording import upper_first

_PHASES: tuple[Phase, ...] = ("forward", "backward", "training step")


def measured(report: Report) -> Iterable[Html]:
    """The tables Times, Sizes, Timing, Limit, Training and Profile, as far as there is something in them."""
    timing, profile = report.timing, report.profile
    if timing is not None and timing.rows:
        yield from _times(timing)
        yield from _sizes(timing.sweep, timing)
        yield _timing(timing)
        yield from _limit(timing)
        yield from _training(timing)
    elif timing is not None and timing.note:
        yield details("Timing: not measured", tag("p", timing.note))
    if profile is not None:
        yield from _profile(profile, timing)


def device_code(found: DeviceCode) -> Iterable[Html]:
    """What the kernels use on GPUs that are not here, as far as a compiler knows."""
    states = [
        (build.arch, ", ".join(filter(None, [upper_first(build.state), build.why]))) for build in found.builds
    ]
    kernels = [(f"{kernel.name}, {kernel.arch}", _resources(kernel)) for kernel in found.kernels]
    notes = [
        ("Compiler", found.compiler),
        ("Not instantiated", ", ".join(found.left_out)),
        ("Further template arguments", numbers.thousands(found.more) if found.more else ""),
    ]
    lines = [(build_words.place(line), build_words.words(line), build_words.advice(line)) for line in found.lines]
    grid = _grid(("Line", "Instructions", "What would help"), lines) if lines else table([])
    body = join([table(states), table(kernels), grid, table(notes), *map(_listing, found.listings)])
    yield details(f"Build for {device_code_place(found)}: {device_code_conclusion(found)}", body)


def _listing(one: Listing) -> Html:
    return details(f"{one.kind} for {one.arch}, {numbers.counted(one.lines, 'line')}", tag("pre", one.text))


def _times(timing: Timing) -> Iterable[Html]:
    rows = speed_words.rows(timing, "forward")
    if rows:
        shown = [(_name(row.program, row.role), row.time, row.against) for row in rows]
        yield details("Times", _grid(("Program", "Time", "Against eager"), shown))


def _sizes(points: Sequence[SweepPoint], timing: Timing) -> Iterable[Html]:
    if not points:
        return
    shown = [(row.program, row.time, row.reference, row.against) for row in table_words.size_rows(points)]
    title = f"Sizes: {speed_words.sizes_conclusion(timing)}"
    yield details(title, _grid(("Shape", "This kernel", "PyTorch eager", "Against eager"), shown))


def _timing(timing: Timing) -> Html:
    medians = numbers.durations([row.median_s for row in timing.rows])
    shown = [
        (
            _name(row.program, row.role),
            median,
            speed_words.iqr(row),
            numbers.thousands(row.n),
            f"{row.phase}, {row.cache_state}",
        )
        for row, median in zip(timing.rows, medians, strict=True)
    ]
    parts = [_grid(("Program", "Median", "IQR", "Samples", "Call"), shown)]
    clocks = [
        (f"{clock.program}, {clock.name}", _clock(clock, time))
        for clock, time in zip(timing.clocks, table_words.clock_times(timing), strict=True)
    ]
    parts.append(table([*clocks, ("Device", speed_words.conditions(timing))]))
    return details(f"Timing: {speed_words.timed_conclusion(timing)}", join(parts))


def _clock(clock: Clock, time: str) -> str:
    if clock.seconds is None:
        return f"not read: {clock.note}" if clock.note else "not read"
    return ", ".join(
        filter(None, [time, table_words.clock_against(clock), "" if clock.agrees else "differs", clock.note])
    )


def _limit(timing: Timing) -> Iterable[Html]:
    limit = timing.limit
    if limit is None:
        return
    rows = [(limit_words.peak_label(peak), numbers.rate(peak.rate, peak.unit)) for peak in limit.peak_rates]
    for share in limit.shares:
        rows.append((f"{upper_first(share.program)}, {share.phase}", limit_words.share_words(share, limit)))
    for one in limit.predictions:
        words = f"{limit_words.prediction_words(one)}: {one.assumptions}"
        rows.append((f"{one.device}, {one.program}, {one.phase}", words))
    fact = speed_words.limit_fact(timing)
    yield details(f"Limit: {fact.answer}", table(rows))


def _training(timing: Timing) -> Iterable[Html]:
    rows = []
    for phase in _PHASES:
        cache_state = speed_words.timed_in(timing, phase)
        found = speed_words.rows(timing, phase, cache_state) if cache_state is not None else []
        by_role = {row.role: row for row in found}
        if "candidate" in by_role and "reference" in by_role:
            mine = by_role["candidate"]
            rows.append((upper_first(phase), mine.time, by_role["reference"].time, mine.against))
    if len(rows) < 2:
        return
    kept = speed_words.kept(timing)
    if kept is not None:
        ours, theirs = (numbers.size(count) for count in kept)
        rows.append(("Kept for backward", ours, theirs, speed_words.kept_words(timing)))
    title = ": ".join(filter(None, ["Training", speed_words.training_conclusion(timing)]))
    yield details(title, _grid(("", "This kernel", "PyTorch eager", "Difference"), rows))


def _profile(profile: Profile, timing: Timing | None) -> Iterable[Html]:
    conclusion = speed_words.profiled_conclusion(timing, profile)
    kernels = [_kernel(kernel) for kernel in profile.kernels]
    builds = [(f"{build.name}, {build.arch}", _resources(build)) for build in profile.builds]
    notes = [("Counters", profile.counters_note), ("Note", profile.note)]
    costs = _line_costs(profile) if profile.lines else table([])
    helps = [(cost_words.place(line), cost_words.advice(line)) for line in profile.lines if cost_words.advice(line)]
    body = join([costs, table(helps), table(kernels), table(builds), table(notes)])
    if body:
        yield details(f"Profile: {conclusion}", body)


def _line_costs(profile: Profile) -> Html:
    """With a column for the GPU's own counters where there are any."""
    on_gpu = any(line.gpu is not None for line in profile.lines)
    head = ("Line", "A request costs", *(["On the GPU"] if on_gpu else []), "Lanes")
    rows = []
    for line in profile.lines:
        gpu = [cost_words.gpu_cost(line)] if on_gpu else []
        rows.append((cost_words.place(line), cost_words.cost(line), *gpu, cost_words.lanes(line)))
    return _grid(head, rows)


def _kernel(kernel: KernelFacts) -> tuple[str, str]:
    grid = " x ".join(numbers.thousands(size) for size in kernel.grid)
    block = " x ".join(numbers.thousands(size) for size in kernel.block)
    shared = (kernel.static_shared_bytes or 0) + (kernel.dynamic_shared_bytes or 0)
    parts = [
        f"{_calls(kernel)}, {numbers.duration(kernel.seconds)}",
        f"grid {grid}, block {block}" if grid and block else "",
        numbers.counted(kernel.registers, "register") if kernel.registers is not None else "",
        f"shared memory {numbers.kibibytes(shared)}" if kernel.static_shared_bytes is not None else "",
        f"spills {numbers.thousands(kernel.spill_bytes)} B" if kernel.spill_bytes is not None else "",
        _occupancy(kernel),
        numbers.rate(kernel.bytes_per_s, "B/s") if kernel.bytes_per_s else "",
        numbers.rate(kernel.flops_per_s, "FLOP/s") if kernel.flops_per_s else "",
        *(f"{c.name} {numbers.significant(c.value)} {c.unit}".rstrip() for c in kernel.counters),
    ]
    return f"{upper_first(kernel.program)}, {kernel.phase}, {kernel.name}", "; ".join(filter(None, parts))


def _calls(kernel: KernelFacts) -> str:
    """An event without a grid is a copy, or an operator on the CPU."""
    return (
        numbers.counted(kernel.calls, "launch", "launches")
        if kernel.grid
        else numbers.counted(kernel.calls, "call")
    )


def _resources(build: BuildFacts) -> str:
    parts = [
        numbers.counted(build.registers, "register"),
        f"shared memory {numbers.kibibytes(build.static_shared_bytes + (build.dynamic_shared_bytes or 0))}",
        f"spills {numbers.thousands(build.spill_bytes)} B",
        f"{numbers.counted(build.threads, 'thread')} a block" if build.threads is not None else "",
        _occupancy(build),
    ]
    return "; ".join(filter(None, parts))


def _occupancy(facts: KernelFacts | BuildFacts) -> str:
    words = table_words.occupancy(facts)
    return f"occupancy {words}" if words else ""


def _name(program: str, role: str) -> str:
    """A row starts with a capital, except for names such as torch.compile."""
    return upper_first(program) if role == "candidate" else program


def _grid(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Html:
    """A table with a head; all but the first column are figures."""
    body = [
        tag(
            "tr",
            tag("th", row[0], scope="row"),
            *(tag("td", cell, style="text-align:right") for cell in row[1:]),
        )
        for row in rows
    ]
    return tag("table", tag("tr", *(column(name) for name in head)), *body)
