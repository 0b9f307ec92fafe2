"""How a report is closed: the outcome of each kind of verdict, and the state of stages that did not end.

In: a report that has its verdict. Out: the same report, finished. Both sides of a run use it: the judge, and the
client when the judge is gone.
"""

from __future__ import annotations

from typing import Literal

from kernelgate.report.types import Report, StageState, VerdictKind

SAFE = "Your notebook's kernel is unaffected."

OUTCOMES: dict[VerdictKind, Literal["pass", "fail", "unclear", "not run"]] = {
    "pass": "pass",
    "read": "fail",
    "build": "fail",
    "wrong": "fail",
    "fault": "fail",
    "timeout": "unclear",
    "weak": "unclear",
    "cancelled": "not run",
    "refused": "not run",
    "environment": "not run",
    "internal": "not run",
    "profiled": "not run",
}


def close_stages(report: Report) -> None:
    """Leaves no stage running or waiting in a finished report. Only the candidate can make a stage fail."""
    assert report.verdict is not None
    ended: StageState = "stopped"
    if report.verdict.outcome == "fail":
        ended = "failed"
    elif report.verdict.kind in ("refused", "environment"):
        ended = "not run"
    for stage in report.stages:
        if stage.state == "running":
            stage.state = ended
        elif stage.state == "waiting":
            stage.state = "not run"
    report.progress = ""
