"""NVIDIA's compute-sanitizer: how to call it, and what its log says about a program's own kernels.

In: a command that runs a candidate. Out: `Run`, the faults in it as the emulator reports them (`emulator.Fault`), lines
counted as the compiler counts them, and the log. A kernel's line is known if it was built with -lineinfo.
Not here: what is run (`worker.replay`), what its faults decide (`judge.stages.sanitize`).
Formats: Compute Sanitizer User Manual, sections on each tool.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

from kernelgate.emulator import Fault
from kernelgate.tools.cuobjdump import base_name, tool

Tool = Literal["memcheck", "racecheck", "initcheck", "synccheck"]
TOOLS: tuple[Tool, ...] = get_args(Tool)
# Each tensor an allocation of its own, or memcheck sees the blocks of PyTorch's allocator alone.
WITHOUT_CACHING = {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}
MISSING = "compute-sanitizer of the CUDA toolkit is not installed here"
_MOST_REPORTS = 20
_PADDING_BYTES = 512
_MOST_LOG = 1 << 20

_MARK = "========="
_FRAME = re.compile(r"COMPUTE-SANITIZER|Target |LEAK|(?:ERROR|RACECHECK) SUMMARY")
_NOT_RUN = "Target application returned an error"
_SUMMARY = re.compile(r"(?:ERROR|RACECHECK) SUMMARY: (\d+)")
_AT = re.compile(r"\bat (?P<kernel>.+?)\+0x[0-9a-f]+(?: in (?:\S*/)?(?P<unit>cuda\.cu):(?P<line>\d+))?")
# For an instruction of a header, such as an atomic's: the lines that it was called from.
_CALLED = re.compile(r"Device Frame:.*\bin (?:\S*/)?(?P<unit>cuda\.cu):(?P<line>\d+)")
_BY = re.compile(r"by thread \((\d+),(\d+),(\d+)\) in block \((\d+),(\d+),(\d+)\)")
_SIZE = re.compile(r"(?:of size|read of) (\d+) bytes")
_DISTANCE = re.compile(
    r"is (?P<bytes>[\d,]+) bytes? (?P<side>before|after) the nearest allocation.* of size (?P<size>[\d,]+)"
)
_RACE = re.compile(
    r"Race reported between (?P<one>Write|Read) access at .*?and (?P<two>Write|Read) access at (?P<other>.+)", re.S
)


@dataclass(frozen=True)
class Run:
    """One tool's run of a command. `errors`: how many it counted, None if it did not get that far."""

    tool: Tool
    errors: int | None
    faults: tuple[Fault, ...]
    log: str
    over: bool = False
    """It was stopped."""


def path() -> str | None:
    """Where the program is; None if it is not installed."""
    return tool("compute-sanitizer")


def watched_by(name: Tool, most: int = _MOST_REPORTS, log: Path | None = None) -> tuple[str, ...]:
    """The words before a command that have a tool watch it; at most so many reports are printed."""
    words: tuple[str, ...] = (path() or "compute-sanitizer", "--tool", name, "--print-limit", str(most))
    words += ("--target-processes", "application-only", "--show-backtrace", "device")
    if name == "memcheck":  # between allocations that lie side by side
        words += ("--padding", str(_PADDING_BYTES))
    # To a file, so that the command's own output is not mistaken for it.
    return (*words, "--log-file", str(log)) if log is not None else words


def run(
    name: Tool, command: Sequence[str], environment: Mapping[str, str], folder: Path, limit_s: float
) -> Run:
    """Runs a command under a tool. `folder`: where the log goes, which the command must not be able to write."""
    log = folder / f"{name}.log"
    process = subprocess.Popen(
        [*watched_by(name, log=log), *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**environment, **WITHOUT_CACHING},
        process_group=0,  # the command ends with the tool
    )
    over = False
    try:
        process.wait(limit_s)
    except subprocess.TimeoutExpired:
        over = True
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    try:
        with log.open(errors="replace") as file:
            text = file.read(_MOST_LOG)
    except OSError:
        text = ""
    return Run(name, errors_in(text), tuple(faults_in(text)), text, over)


def errors_in(log: str) -> int | None:
    """How many errors a tool has counted; None if it, or the program that it watched, did not get that far."""
    counts = [int(count) for count in _SUMMARY.findall(log)]
    if not counts or (counts[0] == 0 and _NOT_RUN in log):
        return None
    return counts[0]  # the others belong to reports that were not printed


def reports_in(log: str) -> list[str]:
    """Each report as it was printed, its lines without the mark."""
    found: list[list[str]] = []
    for line in log.splitlines():
        if not line.startswith(_MARK):
            continue
        text = line.removeprefix(_MARK)
        if not text.strip():
            continue
        if text.startswith("  ") and found:
            found[-1].append(text.strip())
        else:
            found.append([text.strip()])
    return ["\n".join(lines) for lines in found if not _FRAME.match(lines[0])]


def faults_in(log: str) -> list[Fault]:
    """What the reports say about kernels; reports on CUDA calls and other things are left out."""
    return [fault for fault in map(_fault, reports_in(log)) if fault is not None]


def _fault(report: str) -> Fault | None:
    at = _AT.search(report)
    if at is None:
        return None
    headline = report.partition("\n")[0]
    if (race := _RACE.search(report)) is not None:
        return _race(at, race, headline)
    kind, what = _kind(headline, report)
    if kind is None:
        return None
    by = _BY.search(report)
    fault = _fault_at(at, kind, what, _CALLED.search(report))
    if " write " in headline or " read " in headline:
        fault = replace(fault, access="write" if " write " in headline else "read")
    if by is not None:
        x, y, z, *block = map(int, by.groups())
        fault = replace(fault, thread=(x, y, z), block=(block[0], block[1], block[2]))
    return fault


def _kind(headline: str, report: str) -> tuple[str | None, str]:
    """The emulator's name for the kind of a fault, and its middle words; None for what is no fault of a kernel."""
    size = _SIZE.search(headline)
    access = "write" if " write " in headline else "read"
    amount = f" of {size[1]} bytes" if size is not None else ""
    if headline.startswith("Uninitialized "):
        return "uninitialised", f"read{amount} of memory that nothing has written"
    if headline.startswith("Invalid ") and "misaligned" in report:
        return "misaligned", f"{access}{amount} at an address that is not a multiple of the access's size"
    if headline.startswith("Invalid ") and size is not None:
        space = next((f" in {word} memory" for word in ("shared", "local") if f"__{word}__" in headline), "")
        away = _DISTANCE.search(report)
        if away is None:
            return "out_of_bounds", f"{access}{amount}{space} outside of what belongs to it"
        distance, side = int(away["bytes"].replace(",", "")), "before the start"
        if away["side"] == "after":  # counted from the last byte, by the emulator from the end
            distance, side = distance - 1, "past the end"
        how_far = f"{distance:,} bytes" if distance else "just"
        return "out_of_bounds", f"{access} {how_far} {side} of an allocation of {away['size']} bytes"
    if headline.startswith("Barrier error"):
        return "barrier", headline.rstrip(".").partition(". ")[2].lower() or "threads diverge before a barrier"
    if "tack overflow" in headline:
        return "stack_overflow", "thread stack overflow: local arrays too large, or recursion too deep"
    return None, ""


def _race(at: re.Match[str], race: re.Match[str], headline: str) -> Fault | None:
    if not headline.startswith("Error"):  # a warning need not be a fault: equal values written twice
        return None
    one, two = race["one"].lower(), race["two"].lower()
    accesses = "both write" if one == two == "write" else f"{one} and {two}"
    other = _AT.search("at " + race["other"])
    fault = _fault_at(at, "race", f"two threads {accesses} the same shared memory without a barrier between")
    return replace(
        fault,
        access="write" if one == "write" else "read",
        other_line=int(other["line"]) if other is not None and other["line"] else None,
    )


def _fault_at(at: re.Match[str], kind: str, what: str, called: re.Match[str] | None = None) -> Fault:
    kernel = base_name(at["kernel"])
    place = at if at["line"] else called
    unit, line = (place["unit"], int(place["line"])) if place is not None else (None, None)
    return Fault(
        kind=kind,
        access=None,
        kernel=kernel,
        block=None,
        thread=None,
        region=None,
        region_bytes=None,
        offset_bytes=None,
        unit=unit,
        line=line,
        text=what,
        what=what,
    )
