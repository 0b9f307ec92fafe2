"""Public programs with the verdicts of their own benchmark, as a folder for wild.py: python bench/wild_folder.py FOLDER
CHECKOUT [CHECKOUT ...].

A checkout is one of a repository that publishes both: with `runs/*/eval_results.json` as KernelBench's scripts write
them (github.com/technoabsurdist/KernelBench), with `run/**/evaluation/eval_*.json` (github.com/kaimu11111/pipeline), or
with `docs/assets/data.json` (github.com/anneouyang/KernelBenchLeaderboard, whose programs are all right). FOLDER gets a
folder a program: `candidate.py`, `problem.py`, and `label`, "right" or "wrong". What did not compile there, or was
killed by the environment, says nothing of its values and is left out. Nothing of it belongs in this repository.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Program:
    """`name` is a folder's name."""

    name: str
    candidate: Path
    problem: Path
    label: str


def kernelbench_runs(checkout: Path) -> Iterator[Program]:
    """Of `runs/MODEL_levelN_run/eval_results.json`, whose keys are the problems' numbers."""
    for results in sorted(checkout.glob("runs/*/eval_results.json")):
        run = results.parent.name
        level = run[run.index("level") + len("level")]
        for number, row in json.loads(results.read_text(encoding="utf-8")).items():
            label = _kernelbench_label(row)
            problem = next((checkout / "KernelBench" / f"level{level}").glob(f"{number}_*.py"), None)
            candidate = results.parent / f"level_{level}_problem_{number}_sample_0_kernel.py"
            if label and problem is not None and candidate.exists():
                yield Program(f"{run}-{number}", candidate, problem, label)


def _kernelbench_label(row: dict[str, object]) -> str:
    """ "" if no values were compared."""
    if row["correctness"]:
        return "right"
    found = row["metadata"]
    assert isinstance(found, dict)
    return "wrong" if "correctness_issue" in found else ""


def pipeline_runs(checkout: Path) -> Iterator[Program]:
    """Of `run/**/evaluation/eval_*.json`. The wrong ones do not say which file was tried, so the right ones count."""
    for result in sorted(checkout.glob("run/**/evaluation/eval_*.json")):
        row = json.loads(result.read_text(encoding="utf-8"))
        if not row.get("runnable"):
            continue
        candidate = result.parents[1] / "code" / Path(row["candidate_file"]).name
        problem = _problem_of(checkout, row["reference_file"])
        if candidate.exists() and problem is not None:
            yield Program(f"{problem.parent.name}-{problem.stem}-{candidate.stem}", candidate, problem, "right")


def leaderboard(checkout: Path) -> Iterator[Program]:
    """Of `docs/assets/data.json`: by problem, the programs that KernelBench found right."""
    assets = checkout / "docs" / "assets"
    rows = json.loads((assets / "data.json").read_text(encoding="utf-8")) if (assets / "data.json").exists() else {}
    for title, found in rows.items():
        level, number = title.removeprefix("Level ").partition("_")[0].split(": ")
        problem = assets / "problems" / f"l{level}_p{number}.py"
        for row in found:
            candidate = assets / "solutions" / f"{row['file']}.py"
            yield Program(f"l{level}_p{number}-{row['display_name']}", candidate, problem, "right")


def _problem_of(checkout: Path, named: str) -> Path | None:
    """The problem's file, or the same one at another place, if that is the only text of its name."""
    if (checkout / named).exists():
        return checkout / named
    found = sorted(checkout.glob(f"KernelBench/*/{Path(named).name}"))
    return found[0] if len({file.read_text(encoding="utf-8") for file in found}) == 1 else None


def main() -> None:
    folder, *checkouts = map(Path, sys.argv[1:])
    count = 0
    for checkout in checkouts:
        for program in [*kernelbench_runs(checkout), *pipeline_runs(checkout), *leaderboard(checkout)]:
            into = folder / program.name
            into.mkdir(parents=True, exist_ok=True)
            (into / "candidate.py").write_text(program.candidate.read_text(encoding="utf-8"), encoding="utf-8")
            (into / "problem.py").write_text(program.problem.read_text(encoding="utf-8"), encoding="utf-8")
            (into / "label").write_text(program.label + "\n", encoding="utf-8")
            count += 1
    print(f"{count} programs in {folder}")


if __name__ == "__main__":
    main()
