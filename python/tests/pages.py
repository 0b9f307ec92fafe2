"""The examples of docs, for tests that run them as they stand."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
INSTALLING = ("python -m venv", "pip install", "kernelgate doctor")
"""How README's lines begin that install the package and try it."""


def blocks(page: str, language: str, holding: str = "") -> list[str]:
    """The texts of a page's blocks in a language, those that hold some words."""
    found = re.findall(rf"```{language}\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)
    return [text for text in found if holding in text]


def block(page: str, language: str, holding: str = "") -> str:
    """The one such block."""
    (found,) = blocks(page, language, holding)
    return found


def commands(page: str, begins: str) -> list[list[str]]:
    """The words after `kernelgate` of the page's commands that begin so."""
    lines = [line for text in blocks(page, "sh") for line in text.splitlines()]
    return [shlex.split(line)[1:] for line in lines if line.startswith(f"kernelgate {begins}")]


def typed(page: str) -> list[tuple[str, str]]:
    """The lines of a page's shell blocks in order, each with the text that the page shows below it, if it does. The
    page's name is seen from docs."""
    text = (DOCS / page).read_text(encoding="utf-8")
    found = re.findall(r"```sh\n(.*?)```(?:\n+```text\n(.*?)```)?", text, re.DOTALL)
    lines = []
    for block_text, shown in found:
        block_lines = block_text.splitlines()
        lines += [(line, "") for line in block_lines[:-1]] + [(block_lines[-1], shown)]
    return lines


def came(
    page: str, folder: Path, environment: Mapping[str, str], without: tuple[str, ...] = ()
) -> Iterator[tuple[str, str, subprocess.CompletedProcess[str]]]:
    """Types a page's lines in order, beginning in a folder: each, what the page shows below it, and what came.
    `without`: how lines begin that are left out."""
    for line, shown in typed(page):
        if line.startswith("cd "):
            folder = folder / line.removeprefix("cd ")
        elif not line.startswith(without):
            words = ["bash", "-c", line]
            done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=3600)
            yield line, shown, done


def plain(text: str) -> list[str]:
    """Words without what differs from run to run: how many cases there was time for, figures of random inputs, the
    sizes that were looked at, and what a GPU's compiler says."""
    text = re.sub(r"\nBUILD .*(?:\n {9}.*)*", "", text)
    text = re.sub(r"\[\d+(, \d+)*\]:|(?<=got |ted |put )[^\s,;]+", "N", text)
    text = re.sub(r"emulation on [^)]*", "emulation", text)
    return re.sub(r"[\d,]+\s+of\s+[\d,]+", "N of M", text).split()


def readme_typed(
    folder: Path, environment: Mapping[str, str], without: tuple[str, ...] = ()
) -> dict[str, list[str]]:
    """Types README's lines in order. All has to be as shown: of each command, the reports that came."""
    failing = {"kernelgate verify answer.md --reference model.py": 1}  # the first time
    found: dict[str, list[str]] = {}
    for line, shown, done in came("../README.md", folder, environment, without):
        all_of_it = f"{line}\n{done.stdout}{done.stderr}"
        assert done.returncode == failing.pop(line, 0), all_of_it
        assert not shown or plain(done.stdout) == plain(shown), all_of_it
        found.setdefault(line, []).append(done.stdout)
    return found
