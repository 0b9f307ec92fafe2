"""compute-sanitizer as the benches call it: where it is, its command line, and what its output says."""

from __future__ import annotations

import re
import shutil

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
SANITIZER = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
# Each tensor an allocation of its own, or memcheck sees the allocator's blocks alone.
WITHOUT_CACHING = {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}
_SUMMARY = re.compile(r"(?:ERROR|RACECHECK) SUMMARY: (\d+)")
_SAYS = re.compile(r"========= (?!.*SUMMARY|COMPUTE-SANITIZER|Target|LEAK)(?:\S|\s+at )")


def watched_by(tool: str, most: int) -> tuple[str, ...]:
    """What stands before a command; at most so many reports are printed."""
    application = ("--target-processes", "application-only")
    return (SANITIZER, "--tool", tool, "--print-limit", str(most), *application)


def errors_in(output: str) -> int | None:
    """How many errors a tool has counted; None where it never came to that."""
    counts = [int(count) for count in _SUMMARY.findall(output)]
    return counts[-1] if counts else None


def reported(output: str) -> list[str]:
    """The lines of its reports."""
    return [line for line in output.splitlines() if _SAYS.match(line)]
