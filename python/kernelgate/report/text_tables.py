"""The tables below a report's lines as text: the times, the costliest lines, what took longest.

In: a `Report`, or lines of its profile. Out: rows, an empty one first. Nothing is cut: what is too long goes on in
further rows.
"""

from __future__ import annotations

import re
import textwrap

from kernelgate.report import build_words, cost_words, numbers, speed_words
from kernelgate.report.bounded import ascii_only, one_line
from kernelgate.report.line_facts import LineBuild, LineCost
from kernelgate.report.measured import KernelFacts, Timing
from kernelgate.report.types import Report
from kernelgate.report.wording import is_exact

COLUMNS = 80
_PROGRAM_LINES = 4
_COST_LINES = 6
_BUILD_LINES = 3
_KERNEL_LINES = 8
_NAMESPACES = re.compile(r"^void (?:(?:\w+|\(anonymous\snamespace\))::)*")
"""Of a kernel: what stands before its own name."""


def rows_of(text: str, indent: str = "    ", width: int = COLUMNS) -> list[str]:
    """The text in rows of `width` columns."""
    return textwrap.wrap(text, width, subsequent_indent=indent, break_on_hyphens=False)


def plain(text: str) -> str:
    """The text without line breaks, in ASCII."""
    return ascii_only(one_line(text, 2000))


def figures(report: Report) -> list[str]:
    """A line a program, the training step, and what the rest of the run found; of a cell, what took longest. An empty
    line first."""
    if report.profile is not None and report.timing is None:
        return _longest(report.profile.kernels)
    timing = report.timing
    if timing is None or report.verdict is None or report.verdict.outcome != "pass":
        return []
    rows = speed_words.rows(timing, "forward")
    if not rows:
        return []
    shown = [(one.program, one.time, one.against) for one in _programs(rows)]
    training = speed_words.training(timing)
    if training is not None:
        time, against = training
        shown.append(
            ("training step", time, ", ".join(filter(None, [against, speed_words.kept_words(timing)])))
        )
    wide, long = (max(len(plain(row[column])) for row in shown) for column in (0, 1))
    lines = [
        f"  {plain(name):{wide}}  {plain(time):{long}}  {plain(against)}" for name, time, against in shown
    ]
    return ["", *(row for line in [*lines, _rest(report, timing)] for row in rows_of(line))]


def line_costs(lines: list[LineCost]) -> list[str]:
    """line 12, global load  32 sectors for 128 bytes  32 of 32: the costliest lines, each with what would help."""
    shown = [
        (
            (cost_words.place(line), cost_words.cost(line), f"lanes {cost_words.lanes(line)}"),
            cost_words.gpu_cost(line),
            cost_words.advice(line),
        )
        for line in lines[:_COST_LINES]
    ]
    place, cost = (max(len(row[column]) for row, _gpu, _advice in shown) for column in (0, 1))
    drawn = []
    for row, gpu, advice in shown:
        drawn.append(f"  {row[0]:{place}}  {row[1]:{cost}}  {row[2]}")
        drawn += [f"  {'on the GPU':>{place}}  {gpu}"] if gpu else []
        drawn += [f"    {part}" for part in textwrap.wrap(advice, COLUMNS - 4)]
    rest = len(lines) - len(shown)
    drawn += [f"  and {rest} more"] if rest else []
    return ["", *(row for line in drawn for row in rows_of(_ascii_kept(line)))]


def line_builds(lines: list[LineBuild]) -> list[str]:
    """line 12  4 fp32, 2 integer, 1 local load: where something helps, with what."""
    drawn = []
    for line in [line for line in lines if build_words.advice(line)][:_BUILD_LINES]:
        drawn.append(f"  {build_words.place(line)}  {build_words.words(line)}")
        drawn += [f"    {part}" for part in textwrap.wrap(build_words.advice(line), COLUMNS - 4)]
    return ["", *(row for line in drawn for row in rows_of(_ascii_kept(line)))] if drawn else []


def _ascii_kept(text: str) -> str:
    """With its columns, which `_ascii` would fold."""
    return text.encode("ascii", "replace").decode()


def _longest(kernels: list[KernelFacts]) -> list[str]:
    """184.1 us   3x  sm80_xmma_gemm: time of all calls together, how many, the kernel or operator"""
    shown = sorted(kernels, key=lambda kernel: -kernel.seconds)[:_KERNEL_LINES]
    if not shown:
        return []
    times = [plain(numbers.duration(kernel.seconds)) for kernel in shown]
    calls = [f"{numbers.thousands(kernel.calls)}x" for kernel in shown]
    time, call = (max(map(len, cells)) for cells in (times, calls))
    lines = [
        f"  {t:>{time}}  {c:>{call}}  {_own_name(kernel.name, COLUMNS - time - call - 6)}"
        for t, c, kernel in zip(times, calls, shown, strict=True)
    ]
    rest = len(kernels) - len(shown)
    lines += [f"  and {rest} more"] if rest else []
    return ["", *(row for line in lines for row in rows_of(line))]


def _own_name(kernel: str, room: int) -> str:
    """A kernel's name, without its parameters or its template's if it is too long with them."""
    name = plain(_NAMESPACES.sub("", kernel))
    shorter = (
        name,
        re.sub(r"^([^<(]*(?:<[^()]*>)?)\(.*", r"\1(...)", name),
        re.sub(r"[<(].*", "<...>", name),
    )
    return next((each for each in shorter if len(each) <= room), shorter[-1])


def _programs(rows: list[speed_words.Compared]) -> list[speed_words.Compared]:
    """The candidate, the reference, and as many of the others as there is room for."""
    others = [row for row in rows if row.timed.role == "other"][: _PROGRAM_LINES - 2]
    return [row for row in rows if row.timed.role != "other" or row in others]


def _rest(report: Report, timing: Timing) -> str:
    """precision exact (0 u)  build load_inline 4.70 s  launches 1  spills 0 B"""
    parts = []
    if report.cases and all(map(is_exact, report.cases)):
        parts.append("precision exact (0 u)")
    elif report.arithmetic:
        parts.append(f"precision {report.arithmetic}")
    if report.build is not None and report.build.lane != "none":
        parts.append(f"build {report.build.lane} {numbers.duration(report.build.seconds)}")
    parts += [f"{name} {value}" for name, value in speed_words.launched(timing, report.profile)]
    # Two spaces part them, which `_ascii` would fold into one.
    return "  ".join(plain(part) for part in parts)
