"""The candidates that a person means by files and folders, and the problem of each.

In: paths, and either one problem for all or a folder of problems. Out: `Asked`, sorted by name.
A folder is searched to its depths; what begins with a dot or an underscore is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from kernelgate.commands.program_files import read_program
from kernelgate.evaluation.asked import Asked, asked, asked_as_json
from kernelgate.evaluation.other_formats import (
    SWEEP,
    TASK,
    asked_of_solution,
    asked_of_sweep,
    asked_of_task,
    is_solution,
    shared_files,
)
from kernelgate.messages.job import UsageError, Verb

_PROGRAMS = (".py", ".md", ".cu")
_OF_KERNELBENCH = re.compile(r"level_(\d+)_problem_(\d+)_sample_\d+(?:_\w+)?$")
"""How KernelBench names what a model has generated: level_1_problem_20_sample_0_kernel.py"""


def asked_in(
    paths: Sequence[str], options: Mapping[str, Any], problems: str | None = None, verb: Verb = "verify"
) -> list[Asked]:
    """Raises UsageError if a path is none, or no candidate is found."""
    problem_files = None if problems is None else Problems(Path(problems))
    if problem_files is not None and ("problem" in options or "reference" in options):
        raise UsageError(
            "Two problems are named", "Name one: --problem ID, --reference WHAT or --problems DIR"
        )
    found: list[Asked] = []
    for path in map(Path, paths):
        if path.suffix == ".jsonl":
            found += _lines(path, options, verb)
            continue
        if not path.exists():
            raise UsageError(
                f"There is no file {path}", "Name candidates, a folder of them, or a list of jobs"
            )
        for file, name in _programs(path):
            theirs = "submission.py" if (file / TASK).is_file() else "solution.py"
            where = str(file / theirs if file.is_dir() else file)
            found += (replace(one, file=where) for one in _in_file(file, name, options, problem_files, verb))
    if not found:
        raise UsageError(
            f"There is no candidate in {', '.join(paths)}", f"Name files that end with {', '.join(_PROGRAMS)}"
        )
    return found


def _in_file(
    file: Path, name: str, options: Mapping[str, Any], problems: Problems | None, verb: Verb
) -> Iterable[Asked]:
    if file.is_dir() and not (file / TASK).is_file():
        return asked_of_sweep(file, name, options, verb)
    if file.is_dir():
        return asked_of_task(file, name, options, verb)
    if file.suffix == ".json":
        return asked_of_solution(file, name, options, verb)
    return [_one(file, name, options, problems, verb)]


def _programs(path: Path) -> Iterator[tuple[Path, str]]:
    """Files, solutions among them, and folders of tasks, with their names within the folder."""
    if path.is_file() or (path / TASK).is_file() or _is_sweep(path):
        yield path, path.name
        return
    files = [file for file in sorted(path.rglob("*")) if file.is_file()]
    tasks = [file.parent for file in files if file.name == TASK and (file.parent / "submission.py").is_file()]
    sweeps = {file.parent for file in files if file.name == "solution.py" and _is_sweep(file.parent)}
    shared = {file for task in tasks for file in shared_files(task)}
    for file in files:
        inside = file.relative_to(path)
        if any(part[0] in "._" for part in inside.parts):
            continue
        if file.name == TASK and file.parent in tasks:
            yield file.parent, inside.parent.as_posix()
        elif file.parent in sweeps:
            if file.name == "solution.py":
                yield file.parent, inside.parent.as_posix()
        elif (
            file.suffix in _PROGRAMS and file.parent not in tasks and file.resolve() not in shared
        ) or (file.suffix == ".json" and is_solution(file)):
            yield file, inside.as_posix()


def _is_sweep(folder: Path) -> bool:
    return all((folder / f"{one}.py").is_file() for one in (*SWEEP, "solution"))


def _one(file: Path, name: str, options: Mapping[str, Any], problems: Problems | None, verb: Verb) -> Asked:
    try:
        text = read_program(str(file))
        if problems is not None:
            options = {**options, "reference": str(problems.of(file, name))}
    except UsageError as exc:
        return Asked(name, None, str(exc))
    return asked(name, text, options, verb)


def _lines(path: Path, usual: Mapping[str, Any], verb: Verb) -> Iterator[Asked]:
    """A list of jobs, a line each."""
    try:
        data = path.read_bytes()
    except OSError as exc:
        raise UsageError(
            f"{path} cannot be read: {(exc.strerror or '').lower()}", "Name another file"
        ) from None
    lines = [line for line in data.split(b"\n") if line.strip()]
    for number, line in enumerate(lines, start=1):
        try:
            written = msgspec.json.decode(line)
        except (msgspec.MsgspecError, UnicodeError) as exc:
            yield Asked(f"job {number}", None, f"Line {number} of {path.name} is no JSON: {exc}")
            continue
        yield asked_as_json(written, number, path.parent, usual, verb)


class Problems:
    """A folder of problems, a file each, and which candidate belongs to which."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise UsageError(f"There is no folder {folder}", "Name a folder of problems, a file each")
        self._folder = folder
        self._files = sorted(file for file in folder.rglob("*.py") if file.name[0] not in "._")

    def of(self, candidate: Path, name: str) -> Path:
        """The problem whose name the candidate has, begins with, or lies in a folder of. Raises UsageError."""
        stem = candidate.stem
        generated = _OF_KERNELBENCH.match(stem)
        if generated is not None:
            level, number = generated.groups()
            for file in self._files:
                if file.parent.name == f"level{level}" and file.stem.partition("_")[0] == number:
                    return file
        for wanted in (stem, *(part for part in reversed(Path(name).parent.parts))):
            same = [file for file in self._files if file.stem == wanted]
            if same:
                return self._nearest(same, name)
        begins = [file for file in self._files if re.match(rf"{re.escape(file.stem)}[^0-9A-Za-z]", stem)]
        if begins:
            return self._nearest(
                [file for file in begins if len(file.stem) == max(len(f.stem) for f in begins)], name
            )
        raise UsageError(
            f"{self._folder} has no problem for {name}",
            "Give the candidate the name of its problem, or put it into a folder with that name",
        )

    def _nearest(self, files: Sequence[Path], name: str) -> Path:
        """Of problems with one name, the one that lies as the candidate does."""
        parts = set(Path(name).parts)
        return max(files, key=lambda file: len(parts & set(file.relative_to(self._folder).parts[:-1])))
