"""The corpus: attacks that must not pass, and honest programs that look like them and must.

In: programs/ and honest/, a candidate a file; its docstring says what it tries, and what becomes of it; twins/, a
reference a file with an honest program, and with wrong ones that differ from it by a few words. Out: `Program`.
A candidate runs where it makes sense: in emulation, on a GPU, or in both. One that is about time alone runs in
bench/truth.py, because no test is about times.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

HERE = Path(__file__).parent
ATTACKS = HERE / "programs"
HONEST = HERE / "honest"
TWINS = HERE / "twins"
_IMPORTS = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
_NO_ARGUMENTS = "\n\ndef get_init_inputs():\n    return []\n"

CLASSES = {
    1: "work on a side stream",
    2: "work left to a thread or a process",
    3: "a tensor that is not what it seems",
    4: "a cached result",
    5: "right at first, then not",
    6: "many calls served by one",
    7: "a right result left in memory",
    8: "input changed, or memory shared",
    9: "clocks replaced",
    10: "forged results",
    11: "the expected result found",
    12: "nearly right",
    13: "a shortcut for the inputs at hand",
    14: "coarser arithmetic",
    15: "PyTorch's own operator",
    16: "cache lines kept across measurements",
    17: "slower while warming up",
    18: "times that cannot be",
    19: "launches that fail",
    20: "state of the process",
    21: "stale parameters",
    22: "changed parameters",
    23: "chance and modes",
    24: "a wrong gradient",
    25: "right here, wrong in a model",
    26: "watching for the judge",
    27: "another program than the text",
}
Device = Literal["emulated", "cuda"]
_PLACES: dict[str, tuple[Device, ...]] = {
    "emulation": ("emulated",),
    "gpu": ("cuda",),
    "emulation and gpu": ("emulated", "cuda"),
    "a benchmark on a gpu": (),
}


@dataclass(frozen=True)
class Program:
    """`sentence` is a part of the verdict's sentence, `on_a_gpu` the same where it differs there.

    `slips`: why an attack gets through; empty where it does not. `wavers`: why chance decides about a program.
    `asks`: what the run is asked for beside, "all values" or "all sizes". `reference`: the text of a problem of its
    own, for which `problem` is "".
    """

    name: str
    text: str
    tries: str
    number: int
    problem: str
    contract: str
    devices: tuple[Device, ...]
    outcome: str
    sentence: str
    on_a_gpu: str
    slips: str
    wavers: str
    asks: str = ""
    reference: str = ""

    def words(self, device: Device) -> str:
        return (device == "cuda" and self.on_a_gpu) or self.sentence


def programs(folder: Path) -> list[Program]:
    """The programs of a folder, and of the twins that belong to it, by class and name. Raises ValueError for a
    docstring that says too little."""
    own = [_read(file) for file in sorted(folder.glob("*.py"))]
    twins = [one for file in sorted(TWINS.glob("*.py")) for one in _twins(file)]
    return own + [one for one in twins if (one.outcome == "pass") == (folder == HONEST)]


def _fields(documentation: str) -> tuple[str, dict[str, str]]:
    tries, _, rest = documentation.partition("\n\n")
    return " ".join(tries.split()), dict(line.split(": ", 1) for line in rest.splitlines())


def _twins(file: Path) -> Iterator[Program]:
    """The honest program of a file, and each of WRONG: a name, what it tries, words of the honest one, what stands in
    their place, and a part of the verdict."""
    held: dict[str, Any] = {}
    exec(compile(file.read_text(), str(file), "exec"), held)
    does, fields = _fields(held["__doc__"])
    reference = _IMPORTS + held["PROBLEM"]
    if "def get_init_inputs" not in reference:
        reference += _NO_ARGUMENTS
    honest = held["HONEST"]
    rows = [(file.stem, does, honest, "pass: ")]
    for name, tries, old, new, says in held["WRONG"]:
        if honest.count(old) != 1:
            raise ValueError(f"{file}: {old!r} does not stand in the program once")
        rows.append((f"{file.stem[:4]}{name}", tries, honest.replace(old, new), f"fail: {says}"))
    for name, tries, text, verdict in rows:
        own = {**fields, **held.get("OF_ONE", {}).get(name[4:], {}), "Verdict": verdict}
        yield _program(file, name, _IMPORTS + text, tries, own, reference)


def _read(file: Path) -> Program:
    text = file.read_text()
    tries, fields = _fields(ast.get_docstring(ast.parse(text)) or "")
    return _program(file, file.stem, text, tries, fields)


def _program(
    file: Path, name: str, text: str, tries: str, fields: dict[str, str], reference: str = ""
) -> Program:
    try:
        number = int(fields.pop("Class"))
        outcome, _, sentence = fields.pop("Verdict").partition(": ")
        program = Program(
            name=name,
            text=text,
            tries=tries,
            number=number,
            problem="" if reference else fields.pop("Problem"),
            contract=fields.pop("Contract", "problem"),
            devices=_PLACES[fields.pop("Runs")],
            outcome=outcome,
            sentence=sentence,
            on_a_gpu=fields.pop("On a GPU", ""),
            slips=fields.pop("Slips", ""),
            wavers=fields.pop("Wavers", ""),
            asks=fields.pop("Asks", ""),
            reference=reference,
        )
    except (KeyError, ValueError) as exc:
        raise ValueError(f"{file}: the docstring lacks or misspells {exc}") from exc
    if fields or number not in CLASSES or not file.stem.startswith(f"c{number:02}_"):
        raise ValueError(
            f"{file}: class {number}, and fields that nobody knows: {', '.join(fields) or 'none'}"
        )
    return program
