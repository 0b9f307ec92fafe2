"""Writes the tables of docs/judging.md from the corpus: `python -m attacks.document [--check]`, in python/tests."""

from __future__ import annotations

import sys
from pathlib import Path

from .corpus import ATTACKS, CLASSES, HONEST, Program, programs

DOCUMENT = Path(__file__).parents[3] / "docs" / "judging.md"
_WHERE = {("emulated",): "emulation", ("cuda",): "GPU", ("emulated", "cuda"): "both", (): "benchmark"}


def document_text() -> str:
    """The document as it should be: its own text, with the tables of today."""
    text = DOCUMENT.read_text()
    for name, table in (("attacks", _attacks()), ("honest", _honest()), ("counts", _counts())):
        begin, end = f"<!-- {name}: made by python/tests/attacks/document.py -->", f"<!-- end of {name} -->"
        before, found, rest = text.partition(begin)
        _old, ended, after = rest.partition(end)
        if not (found and ended):
            raise ValueError(f"{DOCUMENT.name} has no place for the table of {name}")
        text = f"{before}{begin}\n{table}\n{end}{after}"
    return text


def _attacks() -> str:
    rows = ["| class | program | what it tries | runs | verdict |", "| --- | --- | --- | --- | --- |"]
    by_class: dict[int, list[Program]] = {number: [] for number in CLASSES}
    for program in programs(ATTACKS):
        by_class[program.number].append(program)
    for number, found in by_class.items():
        name = f"{number} {CLASSES[number]}"
        if not found:
            rows.append(f"| {name} | | | | told beside the verdict, never a failure |")
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
