"""What README and docs/from-an-answer.md show comes when it is typed in order, with the files that they name."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from judge.candidates import verify
from pages import DOCS, block, typed

from .commands import PACKAGE

ROOT = DOCS.parent
STATUS = {"kernelgate verify answer.md --reference model.py": 1}
"""Of commands that fail as documented, the first time; all others end with 0."""


def run(line: str, folder: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    # One line may write to a file by `>`. The command is that of this checkout.
    words = shlex.quote(sys.executable) + " -m kernelgate.cli"
    environment = {**os.environ, "PYTHONPATH": PACKAGE, "KERNELGATE_CACHE": str(cache)}
    return subprocess.run(
        ["bash", "-c", re.sub(r"^kernelgate\b", words, line)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
    )


def plain(text: str) -> list[str]:
    """Words without what differs from machine to machine: how many cases there was time for, and a GPU's compiler."""
    return re.sub(r"\d+\s+of\s+\d+", "N of M", re.sub(r"\nBUILD .*(?:\n {9}.*)*", "", text)).split()


@pytest.mark.drawn
def test_what_readme_and_the_page_on_an_answer_show_comes_when_it_is_typed(tmp_path: Path, cache: Path) -> None:
    shutil.copytree(ROOT / "examples" / "bias_gelu", tmp_path / "examples" / "bias_gelu")
    folder, failing = tmp_path, dict(STATUS)
    came: dict[str, list[str]] = {}
    for line, shown in typed("../README.md"):
        if line.startswith(("python -m venv", "pip install", "kernelgate doctor")):
            continue  # CI makes an environment, and tries the wheel in it
        if line.startswith("cd "):
            folder = folder / line.removeprefix("cd ")
            continue
        done = run(line, folder, cache)
        assert done.returncode == failing.pop(line, 0), f"{line}\n{done.stdout}{done.stderr}"
        assert not shown or plain(done.stdout) == plain(shown), f"{line}\n{done.stdout}{done.stderr}"
        came.setdefault(line, []).append(done.stdout)
    for line, shown in typed("from-an-answer.md"):
        assert shown and plain(came[line].pop(0)) == plain(shown), line


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
