"""The device's own counters, by the toolkit's ncu, where the driver allows it.

In: a command that replays a call between cudaProfilerStart and Stop. Out: readings by kernel and by line, or one
sentence that says why there are none and what an administrator can do about it.
Not here: what the page of lines says (`tools.ncu_lines`).
"""

from __future__ import annotations

import csv
import math
import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from kernelgate.tools.cuobjdump import tool
from kernelgate.tools.ncu_lines import LineReading, parsed_lines

_TIMEOUT_S = 120
_MOST_LAUNCHES = 64
_PARAMETERS = Path("/proc/driver/nvidia/params")
_METRICS = {
    "gpu__time_duration.sum": ("duration", "s", 1e-9),
    "dram__bytes.sum": ("DRAM bytes", "B", 1.0),
    "sm__warps_active.avg.pct_of_peak_sustained_active": ("achieved occupancy", "%", 1.0),
    "sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active": ("tensor pipe", "%", 1.0),
    "lts__t_sector_hit_rate.pct": ("L2 hit rate", "%", 1.0),
    "smsp__issue_active.avg.pct_of_peak_sustained_active": ("issue slots", "%", 1.0),
}
CLOSED = (
    "The driver keeps the device's counters to administrators; one can open them with the option "
    "NVreg_RestrictProfilingToAdminUsers=0 of the module nvidia, or by giving this process CAP_SYS_ADMIN"
)


@dataclass(frozen=True)
class Reading:
    """One counter of one launch. `kernel`: its name as ncu writes it, with its parameters. `grid`, `block`: as far as
    they are known."""

    kernel: str
    name: str
    value: float
    unit: str
    grid: tuple[int, ...] = ()
    block: tuple[int, ...] = ()

    def of(self, grid: Sequence[int], block: Sequence[int]) -> bool:
        """Whether it is of a launch with this grid and block, as far as that is known."""
        return self.grid in ((), tuple(grid)) and self.block in ((), tuple(block))


def closed() -> str:
    """Why the counters cannot be read here, in a sentence; "" if nothing is known to prevent it."""
    if tool("ncu") is None:
        return "The device's counters are not read: ncu of the CUDA toolkit is not installed here"
    try:
        restricted = "RmProfilingAdminOnly: 1" in _PARAMETERS.read_text()
    except OSError:
        return ""
    return CLOSED if restricted and os.geteuid() != 0 else ""


@dataclass(frozen=True)
class Counted:
    """What ncu counted, or why nothing (`why`). `text`: the page that the lines were read from."""

    readings: Sequence[Reading] = ()
    lines: Sequence[LineReading] = ()
    why: str = ""
    text: str = ""


def counted(command: Sequence[str], environment: dict[str, str], folder: Path) -> Counted:
    """What ncu counted between cudaProfilerStart and Stop while the command ran. It leaves the clock alone."""
    options = ["--clock-control", "none", "--profile-from-start", "off", "--metrics", ",".join(_METRICS)]
    options += ["--launch-count", str(_MOST_LAUNCHES)]
    report = record([*options, *command], environment, folder, _TIMEOUT_S)
    if isinstance(report, str):
        return Counted(why=f"The device's counters could not be read: {report}" if report != CLOSED else report)
    found = tuple(parsed(page(report, "raw", environment)))
    text = page(report, "source", environment)
    return Counted(found, tuple(parsed_lines(text)), "" if found else "The device's counters could not be read", text)


def record(options: Sequence[str], environment: dict[str, str], folder: Path, limit_s: float) -> Path | str:
    """ncu's report of a command with counters at each line, in `folder`; or why there is none, in words. `options` end
    with the command."""
    ncu = tool("ncu")
    assert ncu is not None
    at_lines = ["--section", "SourceCounters", "--import-source", "yes"]
    line = [ncu, *at_lines, "--export", str(folder / "counted"), "--force-overwrite", *options]
    try:
        done = subprocess.run(
            line, capture_output=True, text=True, timeout=limit_s, check=False, env=environment, errors="replace"
        )
    except (OSError, subprocess.TimeoutExpired) as exc:
        return type(exc).__name__
    report = next(folder.glob("counted.ncu-rep*"), None)  # the ending differs between versions
    if report is not None:
        return report
    if "ERR_NVGPUCTRPERM" in done.stdout + done.stderr:
        return CLOSED
    errors = [
        text.removeprefix("==ERROR==").strip() for text in done.stdout.splitlines() if "==ERROR==" in text
    ]
    return errors[-1] if errors else "ncu saw no kernel"


def page(report: Path, name: Literal["raw", "source"], environment: dict[str, str]) -> str:
    """A page of a report as ncu prints it; "" if it does not."""
    ncu = tool("ncu")
    assert ncu is not None
    line = [ncu, "--import", str(report), "--csv", "--page", name, "--print-units", "base"]
    line += ["--print-kernel-base", "demangled"]
    if name == "source":
        line += ["--print-source", "cuda,sass"]
    try:
        return subprocess.run(
            line, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False, env=environment, errors="replace"
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def _sizes(words: str) -> tuple[int, ...]:
    """(1024, 1, 1), as ncu writes it."""
    return tuple(map(int, re.findall(r"\d+", words)))


def parsed(text: str) -> Iterator[Reading]:
    """What `ncu --csv --page raw` printed: a line of names, one of units, and one for each launch."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    rows = list(csv.reader(lines))
    if len(rows) < 3 or "Kernel Name" not in rows[0]:
        return
    names = rows[0]
    kernel = names.index("Kernel Name")
    for row in rows[2:]:
        if len(row) != len(names):
            continue
        launch = [_sizes(row[names.index(of)]) if of in names else () for of in ("Grid Size", "Block Size")]
        for metric, (name, unit, factor) in _METRICS.items():
            if metric not in names:
                continue
            try:
                value = float(row[names.index(metric)].replace(",", ""))
            except ValueError:
                continue
            if math.isfinite(value):
                yield Reading(row[kernel], name, value * factor, unit, *launch)
