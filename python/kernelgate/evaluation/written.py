"""Rows in the formats of other tools.

In: rows. Out: the text of a file. Not here: the formats (`formats`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from kernelgate.evaluation.row import Row
from kernelgate.formats.junit import as_junit
from kernelgate.formats.sarif import as_sarif
from kernelgate.formats.traces import as_trace


def traces(rows: Sequence[Row]) -> str:
    """A trace a line; rows without a verdict are left out, as a trace has no word for them."""
    found = [as_trace(row.report, row.source, row.name) for row in rows if row.report is not None]
    return "".join(f"{msgspec.json.encode(one).decode()}\n" for one in found if one is not None)


def junit(rows: Sequence[Row]) -> str:
    return as_junit([(row.name, row.problem, row.report, row.error) for row in rows])


def sarif(rows: Sequence[Row]) -> str:
    return as_sarif([(row.file or row.name, row.report) for row in rows])


WRITTEN: dict[str, tuple[str, Callable[[Sequence[Row]], str]]] = {
    "traces": ("traces, as SOL-ExecBench and FlashInfer-Bench read them", traces),
    "junit": ("JUnit XML", junit),
    "sarif": ("SARIF: what is wrong, with its lines", sarif),
}
