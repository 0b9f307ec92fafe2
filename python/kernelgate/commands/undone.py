"""What was asked of a run that takes times, where it took none: no option is ignored in silence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kernelgate.commands.option_table import OPTIONS
from kernelgate.report import Report


def undone(written: Mapping[str, Any], report: Report) -> list[str]:
    """A sentence for the file that is not written, and one for the other options. `written`: options by name."""
    timing = report.timing
    if timing is not None and timing.rows:
        return []
    flags = [OPTIONS[name].flag for name in written if OPTIONS[name].option.use == "timing" and name != "trace"]
    why = f"nothing was timed{f', as {timing.note}' if timing is not None and timing.note else ''}"
    files = [f"{written['trace']} is not written: {why}"] if written.get("trace") else []
    return [*files, *([f"{' and '.join(flags)} did nothing: {why}"] if flags else [])]
