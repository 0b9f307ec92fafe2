"""Counts of a test run, a line for each runner, from what the runners wrote: the last words of `make test`.

In: a folder with jest.json, pytest.xml and playwright.json. Status 1 if a test failed, or a runner left no results.
A browser test that failed and passed when it was tried again is flaky: counted apart and named, and no failure.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree


class Counts(NamedTuple):
    passed: int
    failed: int
    skipped: int
    flaky: tuple[str, ...] = ()


def jest(path: Path) -> Counts:
    found = json.loads(path.read_text())
    # A suite that does not compile fails without any test of it.
    failed = found["numFailedTests"] + found["numRuntimeErrorTestSuites"]
    return Counts(found["numPassedTests"], failed, found["numPendingTests"] + found["numTodoTests"])


def pytest(path: Path) -> Counts:
    suites = ElementTree.parse(path).getroot().findall("testsuite")
    total, failures, errors, skipped = (
        sum(int(suite.get(name, "0")) for suite in suites)
        for name in ("tests", "failures", "errors", "skipped")
    )
    return Counts(total - failures - errors - skipped, failures + errors, skipped)


def playwright(path: Path) -> Counts:
    found = json.loads(path.read_text())
    stats = found["stats"]
    # Errors outside of tests: a server that did not start, for one.
    failed = stats["unexpected"] + len(found["errors"])
    flaky = tuple(name for suite in found["suites"] for name in _flaky(suite))
    return Counts(stats["expected"], failed, stats["skipped"], flaky)


def _flaky(suite: dict[str, Any]) -> Iterator[str]:
    """The flaky tests of a suite and of those in it: where each stands, its project, its title."""
    for spec in suite["specs"]:
        for test in spec["tests"]:
            if test["status"] == "flaky":
                yield f"{spec['file']}:{spec['line']} [{test['projectName']}] {spec['title']}"
    for inner in suite.get("suites", []):
        yield from _flaky(inner)


RUNNERS = [(jest, "jest.json"), (pytest, "pytest.xml"), (playwright, "playwright.json")]


def main(results: Path) -> int:
    good = True
    print()
    for read, name in RUNNERS:
        path = results / name
        if not path.exists():
            print(f"{read.__name__:<11} left no results")
            good = False
            continue
        counts = read(path)
        print(
            f"{read.__name__:<11} {counts.passed:>5} passed {counts.failed:>4} failed {counts.skipped:>4} skipped"
            + f" {len(counts.flaky):>4} flaky"
        )
        for name in counts.flaky:
            print(f"{'':<11}       flaky: {name}")
        good = good and counts.failed == 0 and counts.passed > 0
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
