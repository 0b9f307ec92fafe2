"""The example notebook that fixes a kernel by what its lines cost, run as a person runs it."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from kernelgate.emulator import supported
from kernelgate.report import REPORT_MIME

NOTEBOOK = Path(__file__).parents[3] / "examples" / "costs.ipynb"
pytestmark = [
    pytest.mark.skipif(supported() is not None, reason=f"no emulation here: {supported()}"),
    pytest.mark.drawn,
]


def test_each_step_of_the_example_removes_the_cost_that_the_one_before_shows() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    for cell in notebook.cells:
        cell.source = cell.source.replace("%%kernelgate profile", "%%kernelgate profile --device emulated")
    NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    reports = [output["data"][REPORT_MIME] for output in outputs if REPORT_MIME in output.get("data", {})]
    assert [report["verdict"]["outcome"] for report in reports] == ["pass"] * 3
    marked = [[line["mark"] for line in report["profile"]["lines"] if line["mark"]] for report in reports]
    assert marked == [
        ["Global store: 32 sectors for 128 bytes"],
        ["Shared load: 32-way bank conflict"],
        [],
    ]
