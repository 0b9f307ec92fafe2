"""A report as a trace of SOL-ExecBench and FlashInfer-Bench: an object of JSON, which both projects' own models load.

In: a report, and what definition, solution and workload are called. Out: the object; None without a verdict, for which
a trace has no word. What we know beyond its fields is in `correctness.extra`; the verdict's sentence is its log.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kernelgate.report import Report
from kernelgate.report.measured import Timed
from kernelgate.report.types import Verdict

_STATUS = {
    "pass": "PASSED",
    "read": "COMPILE_ERROR",
    "build": "COMPILE_ERROR",
    "fault": "RUNTIME_ERROR",
    "timeout": "TIMEOUT",
}
_OF_WRONG = {"shape": "INCORRECT_SHAPE", "form": "INCORRECT_SHAPE", "dtype": "INCORRECT_DTYPE"}


def as_trace(report: Report, source: Mapping[str, Any], name: str) -> dict[str, Any] | None:
    """`source`: `definition`, `solution` and `workload`, as far as they are known. `name`: of the candidate."""
    verdict = report.verdict
    status = None if verdict is None else _status(report, verdict)
    if verdict is None or status is None:
        return None
    evaluation: dict[str, Any] = {
        "status": status,
        "environment": {"hardware": report.device.name, "libs": _libraries(report)},
        "timestamp": report.created,
        "log": _log(report, verdict),
    }
    if status in ("PASSED", "INCORRECT_NUMERICAL"):
        evaluation["correctness"] = _correctness(report)
    if status == "PASSED":
        evaluation["performance"] = _performance(report)
    return {
        "definition": source.get("definition") or report.problem.id or "problem",
        "workload": source.get("workload") or {"uuid": report.run, "axes": {}, "inputs": {}},
        "solution": source.get("solution") or name,
        "evaluation": evaluation,
    }


def _status(report: Report, verdict: Verdict) -> str | None:
    """A pass is one of the contract that was asked for: a program that is no drop-in fails if that was asked."""
    if verdict.kind != "wrong":
        return _STATUS.get(verdict.kind)
    found = next((case.kind for case in report.cases if case.kind is not None), None)
    return _OF_WRONG.get(found or "", "INCORRECT_NUMERICAL")


def _log(report: Report, verdict: Verdict) -> str:
    beyond = f"Not a drop-in: {verdict.obstacle}" if verdict.obstacle else ""
    what = report.failure.what if report.failure is not None else ""
    return "\n".join(dict.fromkeys(filter(None, [verdict.sentence, beyond, what])))


def _correctness(report: Report) -> dict[str, Any]:
    """The error is relative only if every result is exact; else it is known in units of rounding, in `extra`."""
    cases = [case for case in report.cases if case.outcome in ("pass", "fail")]
    known = [not (case.max_ulp or case.error_units or case.wrong or case.by_distribution) for case in cases]
    exact = bool(known) and all(known)
    error: float | str = 0.0 if exact else "NaN"
    units = [case.error_units for case in cases if case.error_units is not None]
    extra = {
        "run": report.run,
        "contract": report.contract,
        "arithmetic": report.arithmetic,
        "largest_error_units": max(units) if units else None,
        "cases": {case.name: case.outcome for case in report.cases},
        "gates": {gate.name: gate.outcome for gate in report.gates},
        "power": None
        if report.power is None
        else {"caught": report.power.caught, "total": report.power.total},
        "timed": times(report) is not None,
    }
    return {"max_relative_error": error, "max_absolute_error": error, "extra": {"kernelgate": extra}}


def _performance(report: Report) -> dict[str, float]:
    """Zeros if nothing was timed: a trace that has passed has to have them; `extra` says so."""
    found = times(report)
    if found is None:
        return {"latency_ms": 0.0, "reference_latency_ms": 0.0, "speedup_factor": 0.0}
    own, reference = (timed.median_s for timed in found)
    return {
        "latency_ms": own * 1e3,
        "reference_latency_ms": reference * 1e3,
        "speedup_factor": reference / own,
    }


def times(report: Report) -> tuple[Timed, Timed] | None:
    """Of candidate and reference, forward, with cold caches; None if either was not timed."""
    rows = report.timing.rows if report.timing is not None else []
    found = {
        row.role: row for row in rows if (row.phase, row.cache_state) == ("forward", "cold") and row.median_s
    }
    return (found["candidate"], found["reference"]) if {"candidate", "reference"} <= set(found) else None


def _libraries(report: Report) -> dict[str, str]:
    known = report.environment
    found = {"kernelgate": known.kernelgate, "python": known.python, "torch": known.torch, "cuda": known.cuda}
    return {name: version for name, version in found.items() if version}
