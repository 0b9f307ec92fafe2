"""Writes docs/attack-corpus.md from the corpus: `python -m attacks.document [--check]`, in python/tests."""

from __future__ import annotations

import sys
from pathlib import Path

from .corpus import ATTACKS, CLASSES, HONEST, Program, programs

DOCUMENT = Path(__file__).parents[3] / "docs" / "attack-corpus.md"
_WHERE = {("emulated",): "emulation", ("cuda",): "GPU", ("emulated", "cuda"): "both", (): "benchmark"}
_PAGE = """# The attack corpus

Written by `make generate` from `python/tests/attacks`: edit the programs there, not this page.
[How KernelGate judges](judging.md) explains what the verdicts mean.

{counts}

Each program is one file, and its docstring holds what stands here. "Runs" says where the tests judge it: in emulation,
on a GPU, or on both. A program marked "benchmark" is about times alone, and `bench/truth.py` runs it.

## Attacks: none may pass

{attacks}

## Honest programs: all must pass

They look like attacks and are none.

{honest}
"""


def document_text() -> str:
    """The page as it should be for today's corpus."""
    return _PAGE.format(counts=_counts(), attacks=_attacks(), honest=_honest())


def _attacks() -> str:
    rows = ["| class | program | what it tries | runs | verdict |", "| --- | --- | --- | --- | --- |"]
    by_class: dict[int, list[Program]] = {number: [] for number in CLASSES}
    for program in programs(ATTACKS):
        by_class[program.number].append(program)
    for number, found in by_class.items():
        name = f"{number} {CLASSES[number]}"
        if not found:
            rows.append(f"| {name} | | | | reported beside the verdict, never a failure |")
        for program in found:
            where, tries = _WHERE[program.devices], _cell(program.tries)
            rows.append(f"| {name} | {program.name} | {tries} | {where} | {_verdict(program)} |")
    return "\n".join(rows)


def _verdict(program: Program) -> str:
    if program.slips:
        return f"**gets through**: {program.slips}"
    if program.wavers:
        return f"**chance decides**: {program.wavers}"
    return f"{program.outcome}: {_cell(program.sentence)}" if program.sentence else program.outcome


def _honest() -> str:
    rows = ["| looks like class | program | what it does | runs |", "| --- | --- | --- | --- |"]
    for program in programs(HONEST):
        rows.append(
            f"| {program.number} | {program.name} | {_cell(program.tries)} | {_WHERE[program.devices]} |"
        )
    return "\n".join(rows)


def _counts() -> str:
    attacks, honest = programs(ATTACKS), programs(HONEST)
    slipping = sum(bool(program.slips) for program in attacks)
    wavering = sum(bool(program.wavers) for program in attacks + honest)
    classes = len({program.number for program in attacks})
    return (
        f"The corpus holds {len(attacks)} attacks in {classes} classes, of which {slipping} get through, and "
        f"{len(honest)} honest programs, none of which is always refused. In {wavering} of them all, chance decides."
    )


def _cell(words: str) -> str:
    return words.replace("|", "\\|")


def main() -> int:
    text = document_text()
    if "--check" not in sys.argv[1:]:
        DOCUMENT.write_text(text)
        return 0
    if DOCUMENT.read_text() == text:
        return 0
    print(f"docs/{DOCUMENT.name} is older than the corpus: run `make generate`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
