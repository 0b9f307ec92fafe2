"""Reports as JUnit XML, for what shows the results of tests: a suite, and a test for each candidate.

In: names and reports. Out: the document. A failure of the program is a failure; no verdict is an error; what was
not run is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from kernelgate.report import Report
from kernelgate.report.bounded import clean
from kernelgate.report.text import as_text

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_junit(results: Sequence[tuple[str, str, Report | None, str]]) -> str:
    """`results`: name, problem, report, and why there is none."""
    suite = ElementTree.Element("testsuite", name="kernelgate", tests=str(len(results)))
    counts = dict.fromkeys(("failures", "errors", "skipped"), 0)
    for name, problem, report, error in results:
        seconds = f"{report.elapsed_s:.3f}" if report is not None else "0"
        case = ElementTree.SubElement(
            suite, "testcase", name=_text(name), classname=_text(problem or "kernelgate"), time=seconds
        )
        verdict = None if report is None else report.verdict
        outcome = "error" if verdict is None else verdict.outcome
        if outcome == "pass":
            continue
        kind = {"fail": "failure", "not run": "skipped"}.get(outcome, "error")
        counts[{"failure": "failures", "error": "errors"}.get(kind, kind)] += 1
        says = error or (verdict.sentence if verdict is not None else "no verdict")
        found = ElementTree.SubElement(case, kind, message=_text(says))
        if kind != "skipped" and verdict is not None:
            found.set("type", verdict.kind)
            found.text = _text(as_text(report)) if report is not None else ""
    for count, number in counts.items():
        suite.set(count, str(number))
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True)


def _text(text: str) -> str:
    return _NOT_XML.sub("", clean(text))
