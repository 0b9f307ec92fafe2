"""A report as data for programs: JSON text by the schema of `report.types`."""

from __future__ import annotations

import msgspec

from kernelgate.report.types import Report


def as_json(report: Report) -> str:
    """The whole report, indented, without a final line break."""
    return msgspec.json.format(msgspec.json.encode(report), indent=1).decode()
