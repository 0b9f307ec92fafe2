"""Whether verdicts agree with labels of others: python bench/wild.py FOLDER OUT [--device emulated|cuda] [--at-once N]
[--gpus N] [--share N] [--seed N] [--only PATTERN ...] [--limit-s S] [--within-s S] [--contract problem|drop-in]
[--commit ID].

FOLDER has a folder a program: `candidate.py`, `problem.py`, and `label`, "right" or "wrong" (wild_folder.py makes one
of public checkouts). With `--share`, so many of each label are drawn, by `--seed`; a larger share has the smaller one
in it. OUT/wild.json holds a row for each, with our sentence; it is written anew after each, and the same command goes
on from there. The table counts what agrees; each disagreement follows with its sentence.
"""

from __future__ import annotations

import argparse
import fnmatch
import math
import random
import statistics
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from environment import environment, machine
from kernelbench import at_once, earlier, judged, write

LABELS = ("right", "wrong")


def programs(options: argparse.Namespace) -> dict[str, str]:
    """The label of each program by its name."""
    found = {file.parent.name: file.read_text(encoding="utf-8").strip() for file in options.folder.glob("*/label")}
    names = sorted(name for name in found if any(fnmatch.fnmatchcase(name, one) for one in options.only))
    if options.share is not None:
        random.Random(options.seed).shuffle(names)
        by_label = [[name for name in names if found[name] == label] for label in LABELS]
        names = [name for some in by_label for name in some[: options.share]]
    return {name: found[name] for name in names}


def row_of(name: str, label: str, options: argparse.Namespace) -> dict[str, Any]:
    folder = options.folder / name
    problem, candidate = ((folder / f"{part}.py").read_text(encoding="utf-8") for part in ("problem", "candidate"))
    report, row = judged(name, problem, candidate, options)
    steps = {stage.name: stage.seconds for stage in report.stages if stage.seconds is not None}
    return {**row, "label": label, "answer": answer(row), "steps_s": steps}


def answer(row: dict[str, Any]) -> str:
    """What a verdict says of the program: passed, refused, a mistake of ours, or nothing."""
    if row["kind"] == "internal":
        return "mistake of ours"
    return {"pass": "passed", "fail": "refused"}.get(row["outcome"], row["kind"])


def summary(rows: Sequence[dict[str, Any]]) -> str:
    lines = []
    for label in LABELS:
        some = [row for row in rows if row["label"] == label]
        if some:
            answers = Counter(row["answer"] for row in some).most_common()
            seconds = sorted(row["seconds"] for row in some)
            lines.append(
                f"{label:6} {len(some):4}: {', '.join(f'{count} {name}' for name, count in answers)}; "
                f"median {statistics.median(seconds):.1f} s, longest {seconds[-1]:.1f} s"
            )
    agreed = {"right": "passed", "wrong": "refused"}
    lines += [
        f"{row['label']}, {row['answer']}: {row['problem']} ({row['shape']}, {row['seconds']} s): "
        f"{row['sentence']} | {row['what']}"
        for row in rows
        if row["answer"] != agreed[row["label"]]
    ]
    return "\n".join(lines)


def arguments(words: str | None) -> argparse.Namespace:
    """What this bench and wild_times.py take."""
    parser = argparse.ArgumentParser(description=words)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--device", default="emulated")
    parser.add_argument("--at-once", type=int, default=1)
    parser.add_argument("--gpus", type=int, default=1, help="that are here")
    parser.add_argument("--share", type=int, help="how many of each label")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", default=["*"], help="patterns of names")
    parser.add_argument("--limit-s", type=float, default=160.0, help="of one run")
    parser.add_argument("--within-s", type=float, default=math.inf, help="no run begins later than that")
    parser.add_argument("--contract", default="problem")
    parser.add_argument("--peer", type=Path, help="a checkout of KernelBench, for wild_times.py")
    parser.add_argument("--commit")
    return parser.parse_args()


def main() -> None:
    options = arguments(__doc__)
    found = programs(options)
    if not found:
        raise SystemExit(f"{options.folder} has no such program: see bench/wild_folder.py")
    options.out.mkdir(parents=True, exist_ok=True)
    file = options.out / "wild.json"
    kept = ("device", "contract", "at_once", "limit_s")
    begins = {
        "environment": {**environment(options.commit), **machine()},
        **{name: getattr(options, name) for name in kept},
    }
    rows = [row for row in earlier(file, begins) if row["problem"] in found]
    judged_before = {row["problem"] for row in rows}
    left = [(name, label, options) for name, label in found.items() if name not in judged_before]
    for row in at_once(row_of, left, options):
        rows.append(row)
        rows.sort(key=lambda row: row["problem"])
        print(
            f"{row['label']}, {row['answer']}: {row['problem']} in {row['seconds']} s; {row['sentence']}",
            flush=True,
        )
        write(file, begins, rows)
    print(summary(rows))


if __name__ == "__main__":
    main()
