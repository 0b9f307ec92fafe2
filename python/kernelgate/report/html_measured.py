"""What was timed and profiled, as folded tables of HTML; each summary states its conclusion.

In: a `Report`. Out: `Html`, nothing where nothing was measured.
Not here: the three facts (`report.html`), the words of a speed (`report.speed_words`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kernelgate.report import numbers, speed_words
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
from kernelgate.report.wording import GPUS, device_facts, upper_first

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
    """What the kernels take on GPUs that are not here, as far as a compiler tells."""
    states = [
        (build.arch, ", ".join(filter(None, [upper_first(build.state), build.why]))) for build in found.builds
    ]
    kernels = [(f"{kernel.name}, {kernel.arch}", _resources(kernel)) for kernel in found.kernels]
    notes = [
        ("Compiler", found.compiler),
        ("Not instantiated", ", ".join(found.left_out)),
        ("Further template arguments", numbers.thousands(found.more) if found.more else ""),
    ]
    shown = [build.arch for build in found.builds if build.state == "compiled"]
    conclusion = device_facts(found.kernels, shown[0]) if shown else found.builds[0].state if states else ""
    where = f"the {GPUS.get(shown[0], shown[0])}, compiled and not run" if shown else "a GPU"
    body = join([table(states), table(kernels), table(notes), *map(_listing, found.listings)])
    yield details(f"Build for {where}: {conclusion}", body)


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
    ours = numbers.durations([point.candidate_s for point in points], 3)
    theirs = numbers.durations([point.reference_s for point in points], 3)
    digits = numbers.ratio_digits(*(point.ratio for point in points))
    shown = [
        (point.shape, our, their, speed_words.ratio_words(point.ratio, point.verdict, digits))
        for point, our, their in zip(points, ours, theirs, strict=True)
    ]
    title = f"Sizes: {speed_words.sizes_conclusion(timing)}"
    yield details(title, _grid(("Shape", "This kernel", "PyTorch eager", "Against eager"), shown))


def _timing(timing: Timing) -> Html:
    medians = numbers.durations([row.median_s for row in timing.rows])
    shown = [
        (
            _name(row.program, row.role),
            median,
            numbers.duration(row.q3_s - row.q1_s, 2),
            numbers.thousands(row.n),
            f"{row.phase}, {row.circumstance}",
        )
        for row, median in zip(timing.rows, medians, strict=True)
    ]
    parts = [_grid(("Program", "Median", "IQR", "Samples", "Call"), shown)]
    read = numbers.durations([clock.seconds or 0.0 for clock in timing.clocks])
    clocks = [
        (f"{clock.program}, {clock.name}", _clock(clock, time))
        for clock, time in zip(timing.clocks, read, strict=True)
    ]
    parts.append(table([*clocks, ("Device", speed_words.conditions(timing))]))
    return details(f"Timing: {speed_words.timed_conclusion(timing)}", join(parts))


def _clock(clock: Clock, time: str) -> str:
    if clock.seconds is None:
        return f"not read: {clock.note}" if clock.note else "not read"
    against = f"device events {numbers.duration(clock.against_s, 4)}" if clock.against_s else ""
    return ", ".join(filter(None, [time, against, "" if clock.agrees else "differs", clock.note]))


def _limit(timing: Timing) -> Iterable[Html]:
    limit = timing.limit
    if limit is None:
        return
    rows = [
        (f"{roof.name}, {'vendor' if roof.vendor else 'measured here'}", numbers.rate(roof.rate, roof.unit))
        for roof in limit.roofs
    ]
    units = {roof.name: roof.unit for roof in limit.roofs}
    roofs = {floor.phase: floor.roof for floor in limit.floors}
    for share in limit.shares:
        unit = units.get(roofs.get(share.phase, ""), "B/s")
        words = f"{numbers.share(share.share)} of the limit, {numbers.rate(share.rate, unit)}"
        rows.append((f"{upper_first(share.program)}, {share.phase}", words))
    for told in limit.predictions:
        words = f"about {numbers.duration(told.seconds, 2)}; prediction, not measured: {told.assumptions}"
        rows.append((f"{told.device}, {told.program}, {told.phase}", words))
    fact = speed_words.limit_fact(timing)
    yield details(f"Limit: {fact.answer}", table(rows))


def _training(timing: Timing) -> Iterable[Html]:
    rows = []
    for phase in _PHASES:
        circumstance = speed_words.timed_in(timing, phase)
        found = speed_words.rows(timing, phase, circumstance) if circumstance is not None else []
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
    body = join([table(kernels), table(builds), table(notes)])
    if body:
        yield details(f"Profile: {conclusion}", body)


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
    """What has no grid is a copy, or an operator on the CPU."""
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
    if facts.occupancy is None:
        return ""
    limit = f", limited by {facts.occupancy_limit}" if facts.occupancy_limit else ""
    return f"occupancy {numbers.share(facts.occupancy)}{limit}"


def _name(program: str, role: str) -> str:
    """Our own word starts a row; a name, as torch.compile, is written as it is."""
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
