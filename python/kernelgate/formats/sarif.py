"""What was found in programs as SARIF 2.1.0, for what shows findings in an editor or beside a change.

In: the paths of programs, and their reports. Out: the document. A failure and a certain finding are errors, other
findings and what keeps a program from being a drop-in are warnings, and what was seen in the text is a note.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

import msgspec

from kernelgate.report import Place, Report
from kernelgate.version import __version__

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def as_sarif(results: Sequence[tuple[str, Report | None]]) -> str:
    """`results`: a program's path, relative to where the document is read, and its report."""
    found = [one for path, report in results if report is not None for one in _results(path, report)]
    rules = [{"id": rule} for rule in dict.fromkeys(one["ruleId"] for one in found)]
    driver = {"name": "KernelGate", "version": __version__, "rules": rules}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": found}
    document = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return msgspec.json.format(msgspec.json.encode(document), indent=1).decode()


def _results(path: str, report: Report) -> Iterator[dict[str, Any]]:
    failure, verdict = report.failure, report.verdict
    if failure is not None and verdict is not None and verdict.outcome != "not run":
        level = "error" if verdict.outcome == "fail" else "warning"
        rule = "not a drop-in" if verdict.outcome == "pass" else verdict.kind
        words = f"{failure.what.rstrip('.')}. {failure.next_step}"
        yield _result(path, rule, level, words, failure.where)
    for check in (report.memory_check, report.sanitizer):
        for finding in check.findings if check is not None else []:
            level = "error" if finding.certain else "warning"
            yield _result(path, finding.kind, level, finding.sentence, finding.where)
    for advice in report.advice:
        place = Place(label=report.candidate.label, line=advice.line) if advice.line is not None else None
        yield _result(path, "advice", "note", advice.text, place)


def _result(path: str, rule: str, level: str, words: str, place: Place | None) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": quote(path)}}
    is_inside = path.endswith(".json")  # a solution: its lines are those of a source within it
    if place is not None and place.line and is_inside:
        words = f"{place.label}, line {place.line}: {words}"
    elif place is not None and place.line:
        region = {"startLine": place.line, **({"startColumn": place.column} if place.column else {})}
        physical["region"] = region
    return {
        "ruleId": rule.replace(" ", "-"),
        "level": level,
        "message": {"text": words},
        "locations": [{"physicalLocation": physical}],
    }
