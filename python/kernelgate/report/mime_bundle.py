"""A report as Jupyter shows it: one bundle with three renderings. A viewer draws the richest that it knows. At its end,
there is also the text that a person copies for a model, which no viewer draws.

In: a `Report`. Out: a dictionary from MIME type to data, plain JSON.
Not here: sending it to the notebook (`kernelgate.notebook`).
"""

from __future__ import annotations

from typing import Any

import msgspec

from kernelgate.report.html import as_html
from kernelgate.report.model_text import as_model_text
from kernelgate.report.text import as_text
from kernelgate.report.types import REPORT_MIME, Report

MODEL_MIME = "application/vnd.kernelgate.model"


def mime_bundle(report: Report) -> dict[str, Any]:
    """The MIME bundle of a report, running or finished."""
    bundle = {
        REPORT_MIME: msgspec.to_builtins(report),
        "text/html": as_html(report),
        "text/plain": as_text(report),
    }
    if report.verdict is not None:
        bundle[MODEL_MIME] = as_model_text(report)
    return bundle
