"""The examples of docs, for tests that run them as they stand."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


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
