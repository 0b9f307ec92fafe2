"""The operators: a folder each, with `operator.json`, `problem.py` and, if there is one, `model_new.py`.

A program has up to three forms: `full` is model_new.py, `short` is short.py, which gives up gates to be read in one go,
and `benchmark` is the full program and its problem in one file.

Adding a folder adds an operator; nothing else names one. Other packages add theirs by an entry point (`installed.py`).
"""

from __future__ import annotations

import warnings
from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec

from kernelgate.catalogue.benchmark_form import benchmark_form
from kernelgate.catalogue.installed import operator_folders
from kernelgate.json_decode import decoded

Form = Literal["full", "short", "benchmark"]
_FOLDER = Path(__file__).parent


class Parameter(msgspec.Struct, frozen=True):
    """A constructor parameter of the operator's module. `default` is None where it must be given."""

    name: str
    type: Literal["float", "int", "bool"]
    default: float | int | bool | None = None


class Figure(msgspec.Struct, frozen=True):
    """The best speed that was measured, in words with its device. `source`: its file within `bench/results`."""

    words: str
    source: str


class Operator(msgspec.Struct, frozen=True):
    """A catalogue entry. `shape` names the integer constants of problem.py that make up a shape such as 4096x393216;
    `emulated_shape` is their size in emulation. `values` "exact": results must equal PyTorch's bit for bit. The
    smallest `order` stands first wherever operators are listed, and has the button in the notebook's toolbar. `group`
    is the heading under which the panel shows it if there are many.
    """

    id: str
    name: str
    replaces: str
    summary: str
    magic: str
    values: Literal["exact", "graded"]
    parameters: tuple[Parameter, ...]
    shape: tuple[str, ...]
    emulated_shape: tuple[int, ...]
    order: int = 1000
    figure: Figure | None = None
    group: str | None = None

    @property
    def problem_text(self) -> str:
        """The reference program, in the KernelBench form."""
        return (_found()[self.id][1] / "problem.py").read_text(encoding="utf-8")

    @property
    def program_text(self) -> str | None:
        """The candidate that comes with it; None if there is none yet."""
        return self.form_text("full")

    def form_text(self, form: Form) -> str | None:
        """That candidate in one of its forms; None if there is none."""
        path = _found()[self.id][1] / ("short.py" if form == "short" else "model_new.py")
        if not path.exists():
            return None
        text = path.read_text(encoding="utf-8")
        return benchmark_form(text, self.problem_text) if form == "benchmark" else text


def operators() -> dict[str, Operator]:
    """All operators, by id, in their order: ours, then those of other installed packages. One of another package that
    cannot be read is left out with a warning."""
    return {name: operator for name, (operator, _) in _found().items()}


@lru_cache(maxsize=1)
def _found() -> dict[str, tuple[Operator, Path]]:
    """The operators with their folders."""
    ours = [_read(path.parent) for path in sorted(_FOLDER.glob("*/operator.json"))]
    found = _in_order(ours)
    taken = {operator.magic for operator, _ in ours}
    others = []
    for folder in operator_folders():
        try:
            operator, _ = _read(folder)
            if operator.id in found or operator.magic in taken:
                raise ValueError("another operator has its id or its magic")
            others.append((operator, folder))
        except (OSError, ValueError, msgspec.MsgspecError) as exc:
            warnings.warn(f"kernelgate leaves out the operator of {folder}: {exc}", stacklevel=1)
    return {**found, **_in_order(others)}


def _read(folder: Path) -> tuple[Operator, Path]:
    operator = decoded((folder / "operator.json").read_bytes(), Operator)
    if operator.id != folder.name:
        raise ValueError(f"{folder}: the id must be the folder's name")
    return operator, folder


def _in_order(found: list[tuple[Operator, Path]]) -> dict[str, tuple[Operator, Path]]:
    return {
        one.id: (one, folder) for one, folder in sorted(found, key=lambda each: (each[0].order, each[0].id))
    }
