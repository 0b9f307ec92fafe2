"""Finds the program in a language model's answer: Markdown with fenced code.

In: Markdown. Out: the code, every line at the line it has in the Markdown, all others empty.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from kernelgate.cuda_source import functions
from kernelgate.program.kind import bindings, is_cuda, mentions_model_new
from kernelgate.program.names import free_names
from kernelgate.program.parsing import python_tree
from kernelgate.report.bounded import to_lines

_FENCE = re.compile(r"([ \t]*)(`{3,}|~{3,})[ \t]*([^`]*)$")
_PYTHON = {"python", "py", "python3", "ipython", "ipython3", "pycon"}
_CUDA = {"cuda", "cu", "cpp", "c++", "cxx", "cc", "c", "cuda-cpp", "cuh"}


@dataclass(frozen=True)
class Code:
    text: str
    language: Literal["python", "cuda"]
    first_line: int
    reading: str = ""
    """Which blocks these are, where the answer has others of that language."""

    @property
    def last_line(self) -> int:
        return self.first_line + self.text.count("\n")


def code_in(markdown: str) -> Code | None:
    """The block that defines ModelNew, with the earlier blocks whose names it uses; else the CUDA C++.

    Of several whole programs the last counts: an answer ends with what it arrived at. A block that is no Python, or
    that uses names which no block defines, counts only if there is no whole one. Python without ModelNew is given
    whole; without any code the result is None.
    """
    blocks = _blocks(markdown)
    python = [block for block in blocks if block.language == "python"]
    cuda = [block for block in blocks if block.language == "cuda"]
    defining = [at for at, block in enumerate(python) if _defines(block.text)]
    count = len(to_lines(markdown))
    if defining:
        return _together(_last_whole(python, defining), count, of=len(python))
    if cuda:
        whole = [block for block in cuda if functions.kernels(block.text) and _has_host(block.text)]
        return _together(whole[-1:] or cuda, count, of=len(cuda))
    return _together(python, count) if python else None


def _blocks(markdown: str) -> list[Code]:
    """The fenced blocks; a fence left open ends with the text, and one that was cut off begins with it."""
    lines = to_lines(markdown)
    above = _above_first_fence(lines)
    blocks = [above] if above is not None else []
    behind = above.text.count("\n") + 2 if above is not None else 0
    opening: re.Match[str] | None = None
    first, content = 0, list[str]()

    def close(fence: re.Match[str]) -> None:
        text = "\n".join(content)
        language = _language(fence.group(3).strip(), text) if text.strip() else None
        if language is not None:
            blocks.append(Code(text, language, first))

    for number, line in enumerate(lines[behind:], start=behind + 1):
        found = _FENCE.match(line)
        if opening is None:
            if found is not None:
                opening, first, content = found, number + 1, []
        elif found is not None and found.group(2).startswith(opening.group(2)) and not found.group(3).strip():
            close(opening)
            opening = None
        else:
            indent = len(opening.group(1))
            content.append(line if line[:indent].strip() else line[indent:])
    if opening is not None:
        close(opening)
    return blocks


def _above_first_fence(lines: list[str]) -> Code | None:
    """The program above a first fence that only ends it: the answer was copied from its first line of code on."""
    at = next((n for n, line in enumerate(lines) if _FENCE.match(line)), None)
    found = _FENCE.match(lines[at]) if at else None
    if at is None or found is None or found.group(3).strip():
        return None
    text = "\n".join(lines[:at])
    whole = mentions_model_new(text) and python_tree(text) is not None
    return Code(text, "python", 1) if whole else None


def _language(label: str, text: str) -> Literal["python", "cuda"] | None:
    word = re.split(r"[\s{}.,:]+", label.strip("{}. ").lower())[0] if label else ""
    if word in _PYTHON:
        return "python"
    if word in _CUDA:
        return "cuda"
    if word:
        return None
    if mentions_model_new(text) or python_tree(text) is not None:
        return "python"
    return "cuda" if is_cuda(text) else None


def _defines(text: str) -> bool:
    tree = python_tree(text)
    if tree is None:
        return mentions_model_new(text)
    return any(True for _ in bindings(tree, "ModelNew"))


def _has_host(text: str) -> bool:
    return any(function.kind == "host" and function.defined for function in functions.functions(text))


def _last_whole(python: list[Code], defining: list[int]) -> list[Code]:
    """The last of the blocks at `defining` that is whole, with those that it needs; the last one if none is."""
    for at in reversed(defining):
        chosen, missing = _with_needed(python[: at + 1])
        if python_tree(python[at].text) is not None and not missing:
            return chosen
    return _with_needed(python[: defining[-1] + 1])[0]


def _with_needed(blocks: list[Code]) -> tuple[list[Code], set[str]]:
    """The last block, and those before it that bind names it needs; and the names that none binds."""
    chosen = [blocks[-1]]
    missing = _free_names(blocks[-1].text)
    bound = set[str]()
    for block in reversed(blocks[:-1]):
        tree = python_tree(block.text)
        here = {name for name in missing if tree is not None and any(True for _ in bindings(tree, name))}
        if here:
            chosen.insert(0, block)
            missing |= _free_names(block.text)
            bound |= here
    return chosen, missing - bound


def _free_names(text: str) -> set[str]:
    tree = python_tree(text)
    return free_names(tree) if tree is not None else set()


def _together(blocks: list[Code], count: int, of: int = 0) -> Code:
    """`of`: how many blocks of that language the answer has; 0 if all of them are taken."""
    lines = [""] * count
    for block in blocks:
        content = block.text.split("\n")
        lines[block.first_line - 1 : block.first_line - 1 + len(content)] = content
    reading = _reading(blocks, of) if of > len(blocks) else ""
    return Code("\n".join(lines), blocks[0].language, blocks[0].first_line, reading)


def _reading(blocks: list[Code], of: int) -> str:
    places = " and ".join(f"lines {block.first_line} to {block.last_line}" for block in blocks)
    return f"The answer has {of} blocks of code; the program is that of {places}"
