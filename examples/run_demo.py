"""Runs examples/leakyrelu.ipynb in a real kernel and prints its report: `make demo`. Status 0 only for a pass."""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from kernelgate.report import REPORT_MIME

NOTEBOOK = Path(__file__).with_name("leakyrelu.ipynb")


def main() -> int:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(notebook, timeout=600, kernel_name="python3", allow_errors=True).execute()
    outcome = None
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            report = output.get("data", {}).get(REPORT_MIME)
            if report is not None:
                print(output["data"]["text/plain"])
                outcome = (report["verdict"] or {}).get("outcome")
            elif output["output_type"] == "error":
                print("\n".join(output["traceback"]))
    print("\nmake lab opens the same notebook in JupyterLab.")
    return 0 if outcome == "pass" else 1


if __name__ == "__main__":
    sys.exit(main())
