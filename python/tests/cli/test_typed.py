"""What README and two pages of the docs show comes when it is typed, with the files that they name."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest
from judge.candidates import verify
from pages import INSTALLING, ROOT, block, came, plain, readme_typed, typed

from .commands import PACKAGE


@pytest.fixture
def environment(tmp_path: Path, cache: Path) -> dict[str, str]:
    """One whose `kernelgate` is that of this checkout."""
    command = tmp_path / "bin" / "kernelgate"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m kernelgate.cli "$@"\n')
    command.chmod(0o755)
    path = os.pathsep.join([str(command.parent), os.environ["PATH"]])
    return {**os.environ, "PATH": path, "PYTHONPATH": PACKAGE, "KERNELGATE_CACHE": str(cache)}


@pytest.mark.drawn
def test_what_readme_and_the_page_on_an_answer_show_comes_when_it_is_typed(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    # In an environment of its own `make first-hour` types them.
    shutil.copytree(ROOT / "examples" / "bias_gelu", tmp_path / "examples" / "bias_gelu")
    found = readme_typed(tmp_path, environment, without=INSTALLING)
    for line, shown in typed("from-an-answer.md"):
        assert shown and plain(found[line].pop(0)) == plain(shown), line


def sections(text: str) -> list[list[str]]:
    """Of a report, each word in capitals with what follows it."""
    return [plain(section) for section in re.split(r"\n(?=[A-Z])", text.strip())]


PASSED_ELSEWHERE = [line for line, _ in typed("passed-elsewhere.md")]


@pytest.mark.drawn
@pytest.mark.parametrize("line", PASSED_ELSEWHERE, ids=lambda line: line.split()[2])
def test_a_program_that_passed_elsewhere_fails_as_its_page_says(line: str, environment: dict[str, str]) -> None:
    others = tuple(other for other in PASSED_ELSEWHERE if other != line)
    folder = ROOT / "examples" / "passed_elsewhere"
    ((_, shown, done),) = came("passed-elsewhere.md", folder, environment, without=others)
    assert done.returncode == 1, done.stdout + done.stderr
    reported = sections(done.stdout)
    for section in sections(shown):
        assert section in reported, f"{section}\n{done.stdout}"


def test_readme_is_short_and_what_it_names_is_there() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.split()) <= 400
    for target in re.findall(r"\]\(([^)#:]+)", text):
        assert (ROOT / target).exists(), target


@pytest.mark.drawn
def test_the_program_of_the_page_on_kernel_interface_passes() -> None:
    report = verify(block("kernel-interface.md", "python", "KernelInterface"))
    assert report.verdict is not None
    assert report.verdict.outcome == "pass", report.failure
    assert any(gate.name.startswith("gradient") and gate.outcome == "pass" for gate in report.gates), report.gates
