"""Candidates in the formats of other benchmarks: solutions in JSON, and tasks of GPU MODE.

In: paths. Out: `Asked`, one for each workload of a solution, and for each test of a task. What is wrong with a file
becomes its error. Not here: the formats (`formats`), programs in files of ours (`evaluation.found`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from kernelgate.commands.program_files import read_program
from kernelgate.evaluation.asked import Asked, asked
from kernelgate.formats import FormatError, gpu_mode, sweeps
from kernelgate.formats.definition import problem_text, tolerance_of
from kernelgate.formats.solution import solution_text
from kernelgate.messages.job import UsageError, Verb

TASK = "task.yml"
_MOST_WORKLOADS = 1000
_OF_A_PROBLEM = ("problem", "inputs", "shape", "sizes")
SWEEP = ("reference", "shapes")
_SHARED = re.compile(r"\.\./[\w./-]+")


def asked_of_solution(path: Path, name: str, options: Mapping[str, Any], verb: Verb) -> Iterator[Asked]:
    """A run for each workload of its definition. The definition lies beside it, or in the same set of traces."""
    try:
        solution = _json(path)
        definition_path, workloads = _definition_of(path, str(solution.get("definition")))
        definition = _json(definition_path)
        for workload in workloads:
            about = f"{name}@{str(workload.get('uuid'))[:8]}"
            reference = problem_text(definition, workload, _root(definition_path))
            text = solution_text(solution, definition, workload)
            entry = str(solution["spec"]["entry_point"]).partition("::")[0]
            source = {"definition": definition["name"], "solution": solution["name"], "workload": workload}
            given = _with_reference(options, reference)
            one = asked(about, text, given, verb, entry, source=source)
            yield _within(one, tolerance_of(workload), "the workload's")
    except (FormatError, UsageError, KeyError, TypeError, AttributeError) as exc:
        missing = f"{path.name} has no {exc}" if isinstance(exc, KeyError) else str(exc)
        yield Asked(name, None, missing)


def is_solution(path: Path) -> bool:
    """Whether a JSON file holds a solution, rather than a definition or something else."""
    try:
        found = _json(path)
    except UsageError:
        return False
    return "spec" in found and "sources" in found


def _definition_of(path: Path, name: str) -> tuple[Path, list[Any]]:
    beside = path.parent / "definition.json"
    if beside.is_file():
        return beside, _workloads(path.parent / "workload.jsonl")
    for folder in path.resolve().parents:
        for found in sorted(folder.glob(f"definitions/**/{_plain(name)}.json")):
            inside = found.relative_to(folder / "definitions").with_suffix(".jsonl")
            return found, _workloads(folder / "workloads" / inside)
    raise UsageError(
        f"There is no definition {name} for {path.name}",
        "Put definition.json and workload.jsonl beside it, or both into definitions/ and workloads/ of the set",
    )


def _root(definition: Path) -> Path:
    """What the paths of tensors begin at: the set's folder, or the problem's."""
    parents = [folder.parent for folder in definition.parents if folder.name == "definitions"]
    return parents[0].resolve() if parents else definition.parent.resolve()


def _plain(name: str) -> str:
    return "".join(char for char in name if char.isalnum() or char in "-_.")


def _workloads(path: Path) -> list[Any]:
    lines = [line for line in read_program(str(path)).split("\n") if line.strip()]
    try:
        found = [msgspec.json.decode(line) for line in lines[:_MOST_WORKLOADS]]
    except msgspec.MsgspecError as exc:
        raise UsageError(f"{path.name} is no JSON: {exc}", "Give one workload a line") from None
    # A line is a workload, or a trace that has one.
    return [one["workload"] if isinstance(one, dict) and "workload" in one else one for one in found]


def _json(path: Path) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(read_program(str(path)))
    except msgspec.MsgspecError as exc:
        raise UsageError(f"{path} is no JSON: {exc}", "Give a file of JSON") from None
    if not isinstance(found, dict):
        raise UsageError(f"{path} holds no object", "Give a definition or a solution")
    return found


def asked_of_task(folder: Path, name: str, options: Mapping[str, Any], verb: Verb) -> Iterator[Asked]:
    """A run for each test of a task of GPU MODE, and of each benchmark where times are taken."""
    try:
        task = _yaml(folder / TASK)
        reference, submission = (
            read_program(str(folder / f"{one}.py")) for one in ("reference", "submission")
        )
        files = {
            file.stem: read_program(str(file)) for one in (folder.parent, folder) for file in one.glob("*.py")
        }
        modules = gpu_mode.module_names(reference, submission, files)
        text, first_line = gpu_mode.submission_text(submission, modules)
        tests = task.get("tests" if verb == "verify" else "benchmarks") or [{}]
        for number, test in enumerate(tests, start=1):
            problem = gpu_mode.reference_text(reference, test, modules)
            given = _with_reference(options, problem)
            one = asked(f"{name}@{number}", text, given, verb, "submission.py", first_line=first_line)
            yield _within(one, gpu_mode.tolerance_of(reference), "the task's")
    except (FormatError, UsageError, TypeError, AttributeError) as exc:
        yield Asked(name, None, str(exc))


def asked_of_sweep(folder: Path, name: str, options: Mapping[str, Any], verb: Verb) -> Iterator[Asked]:
    """A run for each shape of a problem of kernelbench.com: reference.py, shapes.py and solution.py."""
    try:
        reference, shapes, text = (read_program(str(folder / f"{one}.py")) for one in (*SWEEP, "solution"))
        for number, shape in enumerate(sweeps.shapes(shapes), start=1):
            given = _with_reference(options, sweeps.reference_text(reference, shape))
            yield asked(f"{name}@{number}", text, given, verb, "solution.py")
    except (FormatError, UsageError) as exc:
        yield Asked(name, None, str(exc))


def _within(one: Asked, tolerance: tuple[float, float] | None, whose: str) -> Asked:
    """The same run with the rtol and atol that a problem's own file gives, unless the person gives some."""
    if one.job is not None and tolerance is not None and one.job.rtol is one.job.atol is None:
        one.job.rtol, one.job.atol = tolerance
        one.job.tolerance_of = whose
    return one


def _with_reference(options: Mapping[str, Any], reference: str) -> dict[str, Any]:
    """Options for a candidate that brings its problem along: what others are held against is not for it."""
    return {**{name: value for name, value in options.items() if name not in _OF_A_PROBLEM}, "reference": reference}


def shared_files(folder: Path) -> list[Path]:
    """What a task takes from folders above its own: no candidates."""
    try:
        text = read_program(str(folder / TASK))
    except UsageError:
        return []
    return [(folder / name).resolve() for name in _SHARED.findall(text)]


def _yaml(path: Path) -> dict[str, Any]:
    try:
        import yaml
    except ImportError:
        raise UsageError("task.yml cannot be read without PyYAML", "Install it: pip install pyyaml") from None
    try:
        found = yaml.safe_load(read_program(str(path)))
    except yaml.YAMLError as exc:
        raise UsageError(f"{path} is no YAML: {exc}", "Give the task's file as it is") from None
    return found if isinstance(found, dict) else {}
