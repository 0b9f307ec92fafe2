"""The operators: a folder each, with `operator.json`, `problem.py` and, if there is one, `model_new.py`.

A program has up to three forms: `full` is model_new.py, `short` is short.py, which gives up gates to be read in one go,
and `benchmark` is the full program and its problem in one file.

Adding a folder adds an operator; nothing else names one. Other packages add theirs by an entry point, which names a
package whose folder holds a folder an operator. Nothing of the packages is imported, and the current directory is not
searched: the front end asks for the operators when a stranger's notebook is opened, beside the stranger's files.
"""

from __future__ import annotations

import ast
import sys
import warnings
from functools import lru_cache
from importlib.machinery import PathFinder
from importlib.metadata import distributions
from pathlib import Path
from typing import Literal

import msgspec

from kernelgate.json_decode import decoded
from kernelgate.safe_path import elsewhere

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


GROUP = "kernelgate.operators"


def operator_folders() -> list[Path]:
    """The folders of all installed operators, in the order of their paths."""
    paths = elsewhere(sys.path)
    names = {
        point.value
        for distribution in distributions(path=paths)
        for point in distribution.entry_points.select(group=GROUP)
    }
    return sorted(
        folder for name in names for root in _folders_of(name, paths) for folder in _operators_in(root)
    )


def _folders_of(package: str, paths: list[str]) -> list[Path]:
    """Where a package lies, found as an import would, but without one."""
    first, *rest = package.split(".")
    spec = PathFinder.find_spec(first, paths)
    locations = spec.submodule_search_locations if spec is not None else None
    return [Path(location, *rest) for location in locations or []]


def _operators_in(folder: Path) -> list[Path]:
    return [path.parent for path in folder.glob("*/operator.json")]


def benchmark_form(program: str, problem: str) -> str:
    """The program, and below it the problem. Raises ValueError where both give one name two meanings, or where they
    cannot stand in one file."""
    clash = sorted(_bound(program) & _bound(problem))
    if clash:
        raise ValueError(f"program and problem both define {', '.join(clash)}")
    text = f"{program}\n\n{problem}"
    try:
        compile(text, "<the benchmark form>", "exec", dont_inherit=True)
    except SyntaxError as exc:  # such as an import from __future__ in the problem
        raise ValueError(f"program and problem cannot stand in one file: {exc}") from None
    return text


def _bound(text: str) -> set[str]:
    """The names that a module defines, imports apart."""
    found = set[str]()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {
                each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)
            }
    return found
